package source

import (
	"context"
	"errors"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/delta-runtime/delta-runtime/internal/api/objects"
	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/internal/ledger/recording"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// DeltaFunc is a subscriber that adds to a queue what follows from a delta. The objects are
// the cache's: it may keep them, and must not change them. ctx ends when it returns.
type DeltaFunc[R comparable] func(ctx context.Context, d delta.Delta[client.Object], queue workqueue.TypedRateLimitingInterface[R])

// deltas is the source that NewDeltas makes.
type deltas[R comparable] struct {
	from cache.Cache
	obj  client.Object
	tell DeltaFunc[R]
	opts informer.SubscribeOptions

	sessions sessions
}

// NewDeltas returns a source that calls tell for each delta of obj's kind. A delta says more
// than an event does. A Sync is not an update, a missed deletion is marked, and there is the
// version and when the informer learned of it. The options are those of any subscriber of an
// informer. Where they leave something open:
//
//   - Without a Name the subscriber has the source's.
//   - Without a Period its resyncs are as the cache has them for the kind, which may be by a
//     SyncPeriod. [resync.Never] switches them off.
//
// The cache's informer has to be ours. With another one WaitForSync returns an error that
// names its type.
func NewDeltas[R comparable](
	from cache.Cache, obj client.Object, tell DeltaFunc[R], opts informer.SubscribeOptions,
) ctrlsource.TypedSyncingSource[R] {
	return &deltas[R]{from: from, obj: obj, tell: tell, opts: opts}
}

// Start begins to tell the function. It does not wait: WaitForSync does. When ctx ends, so
// does the subscription.
func (d *deltas[R]) Start(ctx context.Context, queue workqueue.TypedRateLimitingInterface[R]) error {
	switch {
	case objects.IsNil(d.obj):
		return errors.New("must create Deltas with a non-nil object")
	case objects.IsNil(d.from):
		return errors.New("must create Deltas with a non-nil cache")
	case d.tell == nil:
		return errors.New("must create Deltas with a non-nil function")
	}
	d.sessions.begin(ctx, d, d.from, func(ctx context.Context, s *session) error {
		to, ledger := recording.Unwrap(queue)
		a := newAttribution(to, ledger, false)
		a.example = d.obj
		return s.followInformers(ctx, d.obj, func(found cache.Informer) (again bool, err error) {
			ours, err := subscribableOf(found)
			if err != nil {
				return false, err
			}
			return d.subscribe(ctx, s, ours, a)
		}, a)
	})
	return nil
}

// subscribe has our informer tell the function, until ctx or the informer ends. It reports true
// if there may be another informer then.
func (d *deltas[R]) subscribe(ctx context.Context, s *session, ours subscribable, to *attribution[R]) (again bool, err error) {
	opts := d.opts
	if opts.Name == "" {
		opts.Name = d.String()
	}
	missed := to.from(ours)
	sub, err := ours.Subscribe(func(what *delta.Delta[any]) { d.deliver(ctx, what, to) }, opts)
	if err != nil {
		return errors.Is(err, engine.ErrStopped), err
	}
	defer ours.Unsubscribe(sub)
	to.missed.Store(missed)
	return s.stay(ctx, sub, to.listed)
}

// deliver takes one delta to the function.
func (d *deltas[R]) deliver(ctx context.Context, what *delta.Delta[any], to *attribution[R]) {
	turn := to.begin(what)
	defer turn.end()
	typed, ok := objects.Convert(what, object)
	if !ok {
		log.Info("An object is of a type without metadata; the delta is left out", "source", d.String(), "key", what.Key.String(), "op", what.Op.String())
		return
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	defer utilruntime.HandleCrashWithContext(ctx)
	d.tell(ctx, typed, turn.queue(what))
	turn.whole = true
}

// object returns nil for nil, which says that there is no object.
func object(obj any) (client.Object, bool) {
	if obj == nil {
		return nil, true
	}
	o, ok := obj.(client.Object)
	return o, ok
}

// WaitForSync waits until the function has been told of every object that was there, as
// [Kind.WaitForSync] does.
func (d *deltas[R]) WaitForSync(ctx context.Context) error { return d.sessions.wait(ctx, d) }

// String names the source in logs and errors.
func (d *deltas[R]) String() string { return "delta source: " + describe(d.obj) }

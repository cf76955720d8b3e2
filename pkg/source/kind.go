package source

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	ctrlpredicate "sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/delta-runtime/delta-runtime/internal/objects"
	"github.com/delta-runtime/delta-runtime/internal/recording"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// Kind tells a handler of everything that happens to the objects of one kind. Make
// it with [NewKind] or [TypedKind], or fill in its fields.
//
// It belongs to one controller. Each Start calls the handler with a queue of its
// own, but WaitForSync is about the latest Start.
type Kind[O client.Object, R comparable] struct {
	// Type says which kind: an empty object of it will do.
	Type O
	// Cache has the informer.
	Cache cache.Cache
	// Handler turns events into requests.
	Handler handler.TypedEventHandler[O, R]
	// Predicates decide, in this order, which events the handler is told of. The
	// first that says no is the last that is asked.
	Predicates []ctrlpredicate.TypedPredicate[O]

	// Ledger is told for what change each request is. Nil records nothing, and has the
	// handler called with the controller's own queue.
	Ledger *delta.Ledger[R]
	// Cause is what changes of this kind are to the requests: [delta.Primary],
	// [delta.Owned], or [delta.Mapped], which an unset Cause means.
	Cause delta.Cause
	// GVK is the kind, for the ledger, which finds it out where it is empty.
	GVK schema.GroupVersionKind
	// Resync is when the handler is shown objects that did not change. What it leaves
	// open is as the cache has it for the kind. It takes an informer of ours; with
	// another one only the Period counts.
	Resync resync.Policy
	// Name is what warnings and status call the handler. Empty is what the source is
	// called.
	Name string

	sessions sessions
}

var _ ctrlsource.SyncingSource = (*Kind[client.Object, reconcile.Request])(nil)

// NewKind is controller-runtime's source.Kind.
func NewKind[O client.Object](
	from cache.Cache, obj O, tell handler.TypedEventHandler[O, reconcile.Request], predicates ...ctrlpredicate.TypedPredicate[O],
) ctrlsource.SyncingSource {
	return TypedKind(from, obj, tell, predicates...)
}

// TypedKind is controller-runtime's source.TypedKind.
func TypedKind[O client.Object, R comparable](
	from cache.Cache, obj O, tell handler.TypedEventHandler[O, R], predicates ...ctrlpredicate.TypedPredicate[O],
) ctrlsource.TypedSyncingSource[R] {
	return &Kind[O, R]{Type: obj, Cache: from, Handler: tell, Predicates: predicates}
}

// Start is called by the controller. It does not wait for the informer, nor for
// anything else: WaitForSync does. When ctx ends the handler is told nothing more.
func (k *Kind[O, R]) Start(ctx context.Context, queue workqueue.TypedRateLimitingInterface[R]) error {
	switch {
	case objects.IsNil(k.Type):
		return errors.New("must create Kind with a non-nil object")
	case objects.IsNil(k.Cache):
		return errors.New("must create Kind with a non-nil cache")
	case objects.IsNil(k.Handler):
		return errors.New("must create Kind with non-nil handler")
	}
	k.sessions.begin(ctx, k, func(ctx context.Context, s *session) { k.follow(ctx, s, queue) })
	return nil
}

// follow has the handler told from when there is an informer until ctx ends. The cache may
// remove the informer and make another one in its place.
func (k *Kind[O, R]) follow(ctx context.Context, s *session, queue workqueue.TypedRateLimitingInterface[R]) {
	to := k.attribution(queue)
	told := newEventHandler(ctx, to, k.Handler, k.Predicates)
	err := s.followInformers(ctx, k.Cache, k.Type, func(found cache.Informer) (again bool, err error) {
		if ours, err := subscribableOf(found); err == nil {
			return k.subscribe(ctx, s, ours, told)
		}
		k.register(ctx, s, found, told)
		return false, nil
	}, to.restart)
	if err != nil {
		to.deaf(err)
		s.failed(ctx, err)
	}
}

// attribution makes the queues for the handler. Where nothing is recorded and the source has
// no policy of its own, it gives the controller's queue.
func (k *Kind[O, R]) attribution(queue workqueue.TypedRateLimitingInterface[R]) *attribution[R] {
	to, ledger := recording.Unwrap(queue)
	if k.Ledger != nil {
		ledger = k.Ledger
	}
	how := delta.ByContent
	if _, byKey := any(k.Handler).(*handler.TypedEnqueueRequestForObject[O]); byKey {
		how = delta.ByKey
	}
	a := newAttribution(to, ledger, how)
	a.cause, a.kind = k.Cause, k.GVK
	return a
}

// WaitForSync waits until the handler has been told everything that was there. It
// may be called again, and gives the same answer. If ctx is cancelled first it
// returns nil; if its time is up, an error; in both cases the source has ended.
func (k *Kind[O, R]) WaitForSync(ctx context.Context) error { return k.sessions.wait(ctx, k) }

// String names the source in logs and errors.
func (k *Kind[O, R]) String() string { return "kind source: " + describe(k.Type) }

// describe names an object's kind. Go's type says little about an object that could
// be of any kind.
func describe(obj client.Object) string {
	if objects.IsNil(obj) {
		return "unknown type"
	}
	switch obj.(type) {
	case *unstructured.Unstructured, *metav1.PartialObjectMetadata:
		version, kind := obj.GetObjectKind().GroupVersionKind().ToAPIVersionAndKind()
		return fmt.Sprintf("%T[%s %s]", obj, version, kind)
	default:
		return fmt.Sprintf("%T", obj)
	}
}

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

	"github.com/delta-runtime/delta-runtime/internal/api/objects"
	"github.com/delta-runtime/delta-runtime/internal/ledger/recording"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// Kind tells a handler of everything that happens to the objects of one kind. [NewKind] and
// [NewTypedKind] make one. Or fill in its fields, which say more.
//
// A Kind belongs to one controller. After a second Start it tells the handler twice, once for
// each queue, and WaitForSync is about the latest Start.
type Kind[O client.Object, R comparable] struct {
	// Type is an object of the kind. An empty one will do.
	Type O
	// Cache has the informer.
	Cache cache.Cache
	// Handler turns events into requests.
	Handler handler.TypedEventHandler[O, R]
	// Predicates decide which events the handler hears of. The source asks them in this
	// order, and stops at the first that says no.
	Predicates []ctrlpredicate.TypedPredicate[O]

	// Ledger learns which change each request is for. With nil nothing is recorded, and the
	// handler gets the controller's own queue.
	Ledger *delta.Ledger[R]
	// Cause says what changes of this kind are to the requests: [delta.Primary],
	// [delta.Owned] or [delta.Mapped]. Zero means Mapped.
	Cause delta.Cause
	// GVK is the kind, for the ledger. If it is empty, the ledger finds it out.
	GVK schema.GroupVersionKind
	// Resync says when the handler sees objects that did not change. The cache's policy for
	// the kind decides what this one leaves open. If the informer is not ours, only the
	// Period counts.
	Resync resync.Policy
	// Name names the source's subscriber in warnings and status. Empty means the name of the
	// source.
	Name string

	sessions sessions
}

var _ ctrlsource.SyncingSource = (*Kind[client.Object, reconcile.Request])(nil)

// NewKind is controller-runtime's source.Kind.
func NewKind[O client.Object](
	from cache.Cache, obj O, tell handler.TypedEventHandler[O, reconcile.Request], predicates ...ctrlpredicate.TypedPredicate[O],
) ctrlsource.SyncingSource {
	return NewTypedKind(from, obj, tell, predicates...)
}

// NewTypedKind is controller-runtime's source.TypedKind: [NewKind] for requests of any type.
func NewTypedKind[O client.Object, R comparable](
	from cache.Cache, obj O, tell handler.TypedEventHandler[O, R], predicates ...ctrlpredicate.TypedPredicate[O],
) ctrlsource.TypedSyncingSource[R] {
	return &Kind[O, R]{Type: obj, Cache: from, Handler: tell, Predicates: predicates}
}

// Start begins to tell the handler. It does not wait for the informer, nor for anything else:
// WaitForSync does. When ctx ends, the handler hears of nothing more.
func (k *Kind[O, R]) Start(ctx context.Context, queue workqueue.TypedRateLimitingInterface[R]) error {
	switch {
	case objects.IsNil(k.Type):
		return errors.New("must create Kind with a non-nil object")
	case objects.IsNil(k.Cache):
		return errors.New("must create Kind with a non-nil cache")
	case objects.IsNil(k.Handler):
		return errors.New("must create Kind with non-nil handler")
	}
	k.sessions.begin(ctx, k, k.Cache, func(ctx context.Context, s *session) error {
		to := k.attribution(queue)
		told := newEventHandler(ctx, to, k.Handler, k.Predicates)
		return s.followInformers(ctx, k.Type, func(found cache.Informer) (again bool, err error) {
			if ours, err := subscribableOf(found); err == nil {
				return k.subscribe(ctx, s, ours, told)
			}
			return false, k.register(ctx, s, found, told)
		}, to)
	})
	return nil
}

// attribution makes the queues for the handler. Where nothing is recorded and the source has
// no policy of its own, it gives the controller's queue.
func (k *Kind[O, R]) attribution(queue workqueue.TypedRateLimitingInterface[R]) *attribution[R] {
	to, ledger := recording.Unwrap(queue)
	if k.Ledger != nil {
		ledger = k.Ledger
	}
	_, byKey := any(k.Handler).(*handler.TypedEnqueueRequestForObject[O])
	a := newAttribution(to, ledger, byKey)
	a.cause, a.kind, a.example = k.Cause, k.GVK, k.Type
	return a
}

// WaitForSync waits until the handler has been told of every object that was there. It gives
// the same answer each time. If somebody cancels ctx first, it returns nil. If the time of ctx
// is up first, it returns an error. In both cases the source ends.
func (k *Kind[O, R]) WaitForSync(ctx context.Context) error { return k.sessions.wait(ctx, k) }

// String names the source in logs and errors.
func (k *Kind[O, R]) String() string { return "kind source: " + describe(k.Type) }

// describe names an object's kind. The Go type says little about an object that could be of
// any kind.
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

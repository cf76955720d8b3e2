package source

import (
	"context"

	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	ctrlpredicate "sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// EventHandler stands between an informer and one of controller-runtime's event handlers.
// It asks the predicates about each event, and calls the handler for those that pass. It
// leaves out objects that are no O, and logs that.
//
// A [Kind] gives it deltas. An informer of client-go's calls its methods.
type EventHandler[O any, R comparable] struct {
	ctx        context.Context // Invariant: the context of each call ends with it, or earlier.
	handler    handler.TypedEventHandler[O, R]
	predicates []ctrlpredicate.TypedPredicate[O]

	to     *attribution[R] // Invariant: not nil. It makes the queue of each call.
	resync *delta.Origin   // what client-go's informer means by one object shown twice; nil: an update
}

var _ toolscache.ResourceEventHandler = &EventHandler[client.Object, any]{}

// NewEventHandler returns an EventHandler that calls tell, with this very queue, for the
// events that all predicates let through.
func NewEventHandler[O any, R comparable](
	ctx context.Context, queue workqueue.TypedRateLimitingInterface[R],
	tell handler.TypedEventHandler[O, R], predicates []ctrlpredicate.TypedPredicate[O],
) *EventHandler[O, R] {
	return newEventHandler(ctx, newAttribution(queue, nil, false), tell, predicates)
}

func newEventHandler[O any, R comparable](
	ctx context.Context, to *attribution[R], tell handler.TypedEventHandler[O, R], predicates []ctrlpredicate.TypedPredicate[O],
) *EventHandler[O, R] {
	return &EventHandler[O, R]{ctx: ctx, to: to, handler: tell, predicates: predicates}
}

// OnAdd delivers a creation, or an object that was there before.
func (e *EventHandler[O, R]) OnAdd(obj any, isInInitialList bool) {
	d := fromCallback(delta.Added, nil, obj)
	d.Initial = isInInitialList
	e.deliver(&d)
}

// OnUpdate delivers an update, or an object that is shown again.
func (e *EventHandler[O, R]) OnUpdate(oldObj, newObj any) {
	d := fromCallback(delta.Updated, oldObj, newObj)
	// In a resync client-go's informers show one object in memory twice. After a relist they show the
	// object that they listed again.
	if d.Op == delta.Sync && oldObj == newObj {
		d.Origin = e.resync
	}
	e.deliver(&d)
}

// OnDelete delivers a deletion. It takes the deleted object, or client-go's
// DeletedFinalStateUnknown around the last known state of one.
func (e *EventHandler[O, R]) OnDelete(obj any) {
	// A callback does not show the state before a deletion. That state is hardly ever another one
	// than the final state, so the final state stands for it.
	d := fromCallback(delta.Deleted, obj, obj)
	if tombstone, missed := obj.(toolscache.DeletedFinalStateUnknown); missed {
		d = fromCallback(delta.Deleted, tombstone.Obj, nil)
		d.Missed = true
	}
	e.deliver(&d)
}

package source

import (
	"context"
	"fmt"
	"reflect"

	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	ctrlpredicate "sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// EventHandler shows controller-runtime's event handler and predicates to an
// informer. What is not an O is left out, and logged.
type EventHandler[O any, R comparable] struct {
	ctx        context.Context // what the contexts of the calls end with
	queue      workqueue.TypedRateLimitingInterface[R]
	handler    handler.TypedEventHandler[O, R]
	predicates []ctrlpredicate.TypedPredicate[O]
	apart      combined[O] // all of them, for what they can't be asked one by one

	recording *attribution[R] // in place of the queue; nil: there is none
	turn      *turn[R]        // what is being delivered, for recording
}

var _ toolscache.ResourceEventHandler = &EventHandler[client.Object, any]{}

// NewEventHandler has tell called, with this very queue, for events that all
// predicates let through.
func NewEventHandler[O any, R comparable](
	ctx context.Context, queue workqueue.TypedRateLimitingInterface[R],
	tell handler.TypedEventHandler[O, R], predicates []ctrlpredicate.TypedPredicate[O],
) *EventHandler[O, R] {
	return &EventHandler[O, R]{
		ctx: ctx, queue: queue, handler: tell,
		predicates: predicates, apart: takeApart(ctrlpredicate.And(predicates...)),
	}
}

// OnAdd makes a CreateEvent of it.
func (e *EventHandler[O, R]) OnAdd(obj any, isInInitialList bool) {
	created, ok := as[O]("OnAdd", obj)
	if !ok {
		return
	}
	about := event.TypedCreateEvent[O]{Object: created, IsInInitialList: isInInitialList}
	for _, p := range e.predicates {
		if !p.Create(about) {
			e.done()
			return
		}
	}
	ctx, end := context.WithCancel(e.ctx)
	defer end()
	e.handler.Create(ctx, about, e.to())
	e.done()
}

// OnUpdate makes an UpdateEvent of it.
func (e *EventHandler[O, R]) OnUpdate(oldObj, newObj any) {
	before, ok := as[O]("OnUpdate", oldObj)
	if !ok {
		return
	}
	after, ok := as[O]("OnUpdate", newObj)
	if !ok {
		return
	}
	about := event.TypedUpdateEvent[O]{ObjectOld: before, ObjectNew: after}
	if !e.passes(about) {
		e.done()
		return
	}
	ctx, end := context.WithCancel(e.ctx)
	defer end()
	e.handler.Update(ctx, about, e.to())
	e.done()
}

// OnDelete makes a DeleteEvent of it. Of an object whose deletion was missed it has
// the last known state, and DeleteStateUnknown.
func (e *EventHandler[O, R]) OnDelete(obj any) {
	about := event.TypedDeleteEvent[O]{}
	if _, known := obj.(client.Object); !known {
		tombstone, ok := obj.(toolscache.DeletedFinalStateUnknown)
		if !ok {
			log.Error(nil, "What was deleted is no object; the event is left out", "type", fmt.Sprintf("%T", obj))
			return
		}
		about.DeleteStateUnknown = true
		obj = tombstone.Obj
	}
	var ok bool
	if about.Object, ok = as[O]("OnDelete", obj); !ok {
		return
	}
	for _, p := range e.predicates {
		if !p.Delete(about) {
			e.done()
			return
		}
	}
	ctx, end := context.WithCancel(e.ctx)
	defer end()
	e.handler.Delete(ctx, about, e.to())
	e.done()
}

// passes asks the predicates. Where it is known of the update what its two objects don't
// tell, they are asked about that.
func (e *EventHandler[O, R]) passes(about event.TypedUpdateEvent[O]) bool {
	if e.turn != nil {
		terms := e.turn.about.Resync()
		switch {
		case terms != nil && !terms.AsUpdate:
			return e.apart.ask(func(p ctrlpredicate.TypedPredicate[O]) opinion { return ofResync(p, about, *terms) }).says != no
		case e.turn.about.Op == delta.Updated && e.turn.about.Relisted:
			return e.apart.ask(func(p ctrlpredicate.TypedPredicate[O]) opinion { return ofRelisted(p, about) }).says != no
		}
	}
	for _, p := range e.predicates {
		if !p.Update(about) {
			return false
		}
	}
	return true
}

// to is the queue for what is being delivered.
func (e *EventHandler[O, R]) to() workqueue.TypedRateLimitingInterface[R] {
	if e.turn == nil {
		return e.queue
	}
	return e.turn.queue()
}

// done notes that nothing is lost of what is being delivered.
func (e *EventHandler[O, R]) done() {
	if e.turn != nil {
		e.turn.whole = true
	}
}

// as is obj as an O, if it is one.
func as[O any](call string, obj any) (O, bool) {
	o, ok := obj.(O)
	if !ok {
		log.Error(nil, "An object is of the wrong type; the event is left out",
			"call", call, "type", fmt.Sprintf("%T", obj), "want", reflect.TypeFor[O]().String())
	}
	return o, ok
}

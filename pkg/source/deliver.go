package source

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/event"
	ctrlpredicate "sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// deliver takes one delta to the handler. Every event of a Kind comes this way, whichever informer
// tells of it. The ledger learns of the delta also if a predicate holds it back.
func (e *EventHandler[O, R]) deliver(d *delta.Delta[any]) {
	turn := e.to.begin(d)
	defer turn.end()
	turn.whole = e.call(d, &turn)
}

// call makes a typed event of the delta, asks the predicates, and calls the handler. It
// reports false if the delta has an object of the wrong type.
func (e *EventHandler[O, R]) call(d *delta.Delta[any], t *turn[R]) bool {
	if d.Initial && d.Op != delta.Deleted { // whatever an earlier process knew of it: a start shows each object as new
		return e.callCreate(d, t)
	}
	switch d.Op {
	case delta.Added:
		return e.callCreate(d, t)
	case delta.Updated, delta.Sync:
		return e.callUpdate(d, t)
	case delta.Deleted:
		return e.callDelete(d, t)
	case delta.OutOfScope: // The object still exists, and a handler would clean up after it. For the ledger this is a gap.
		return true
	default:
		panic(fmt.Sprintf("BUG: a source was told %s of %s", d.Op, d.Key))
	}
}

func (e *EventHandler[O, R]) callCreate(d *delta.Delta[any], t *turn[R]) bool {
	obj, ok := as[O](d, d.New)
	if !ok {
		return false
	}
	about := event.TypedCreateEvent[O]{Object: obj, IsInInitialList: d.Initial}
	passes := e.allPass(func(p ctrlpredicate.TypedPredicate[O]) bool { return p.Create(about) })
	return e.tell(t, passes, func(ctx context.Context) { e.handler.Create(ctx, about, t.queue(d)) })
}

func (e *EventHandler[O, R]) callUpdate(d *delta.Delta[any], t *turn[R]) bool {
	before, ok := as[O](d, d.Old)
	if !ok {
		return false
	}
	after, ok := as[O](d, d.New)
	if !ok {
		return false
	}
	about := event.TypedUpdateEvent[O]{ObjectOld: before, ObjectNew: after}
	return e.tell(t, e.passes(d, about), func(ctx context.Context) { e.handler.Update(ctx, about, t.queue(d)) })
}

// callDelete shows the last known state of an object whose deletion was missed.
func (e *EventHandler[O, R]) callDelete(d *delta.Delta[any], t *turn[R]) bool {
	obj, ok := as[O](d, d.Object())
	if !ok {
		return false
	}
	about := event.TypedDeleteEvent[O]{Object: obj, DeleteStateUnknown: d.Missed}
	passes := e.allPass(func(p ctrlpredicate.TypedPredicate[O]) bool { return p.Delete(about) })
	return e.tell(t, passes, func(ctx context.Context) { e.handler.Delete(ctx, about, t.queue(d)) })
}

// tell calls the handler if the event passes.
func (e *EventHandler[O, R]) tell(t *turn[R], passes bool, call func(context.Context)) bool {
	if !passes {
		return t.heldBack()
	}
	ctx, end := context.WithCancel(e.ctx)
	defer end()
	call(ctx)
	return true
}

// allPass asks one predicate after the other, up to the first that holds the event back.
func (e *EventHandler[O, R]) allPass(asked func(ctrlpredicate.TypedPredicate[O]) bool) bool {
	return !slices.ContainsFunc(e.predicates, func(p ctrlpredicate.TypedPredicate[O]) bool { return !asked(p) })
}

// passes asks the predicates about an update. Two objects do not tell that a resync or a
// relist shows them. The delta does, and predicates that care are asked about that.
func (e *EventHandler[O, R]) passes(d *delta.Delta[any], about event.TypedUpdateEvent[O]) bool {
	terms := d.Resync()
	switch {
	case terms != nil && !terms.AsUpdate:
		return askUntil(no, e.predicates, func(p ctrlpredicate.TypedPredicate[O]) opinion { return ofResync(p, about, *terms) }).says != no
	case d.Op == delta.Updated && d.Relisted:
		return askUntil(no, e.predicates, func(p ctrlpredicate.TypedPredicate[O]) opinion { return ofRelisted(p, about) }).says != no
	}
	return e.allPass(func(p ctrlpredicate.TypedPredicate[O]) bool { return p.Update(about) })
}

// as returns an object of the delta as an O, if it is one.
func as[O any](d *delta.Delta[any], obj any) (O, bool) {
	o, ok := obj.(O)
	if !ok {
		log.Error(nil, "An object is of the wrong type; the event is left out",
			"op", d.Op.String(), "key", d.Key.String(), "type", fmt.Sprintf("%T", obj), "want", reflect.TypeFor[O]().String())
	}
	return o, ok
}

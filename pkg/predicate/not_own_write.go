package predicate

import (
	"context"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	ctrlpredicate "sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/delta-runtime/delta-runtime/internal/objects"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// answerIn is how long an event waits for the answer to a write that it may show. An
// API server that takes longer has its events passed.
const answerIn = time.Second

// NotOwnWrite passes everything but updates and creations that were written by the
// client that writes belongs to, and nobody else. With the writes of a manager's client
// these are the writes of all its controllers. Get them from manager.OwnWrites. It
// returns nil for a client that does not remember what it writes, as the client of a
// manager is that only NewCache was set for: then everything passes, and the log says so
// when the predicate is made.
//
// A change by somebody else is never held back. An update is only if the client itself
// led from the old state to the new one, without a gap, whatever happened on the way and
// was not shown; of which writes that is known, manager.RecordWrites says. What is not
// known passes, so a controller may still hear of its own writes: after a patch of any
// version, when there were more writes than are remembered, after a restart. Objects of
// a first list pass, and so do deletions: the end of an object is what somebody who
// deletes it waits for.
//
// An event may come before the answer to the write that it shows. It waits for the
// answers to those writes of its object that are on their way, up to a second. The
// handler gets the later events of the kind after that.
//
// A controller that reconciles the effects of its own writes, as one that waits for
// what it has created to become ready does, needs no such events; one that works in
// steps, each begun by the event of the one before, must not use it.
func NotOwnWrite(writes delta.OwnWrites) ctrlpredicate.Predicate {
	return TypedNotOwnWrite[client.Object](writes)
}

// TypedNotOwnWrite is [NotOwnWrite] for objects of one type.
func TypedNotOwnWrite[O client.Object](writes delta.OwnWrites) ctrlpredicate.TypedPredicate[O] {
	if objects.IsNil(writes) {
		log.Error(nil, "A predicate is to hold back what a client wrote that does not remember it; it passes every event: "+
			"use manager.Configure or manager.New of delta-runtime, or set NewClient to its manager.NewClient")
		return ctrlpredicate.TypedFuncs[O]{}
	}
	return ctrlpredicate.TypedFuncs[O]{
		CreateFunc: func(e event.TypedCreateEvent[O]) bool {
			return e.IsInInitialList || objects.IsNil(e.Object) || !made(writes, "", e.Object)
		},
		UpdateFunc: func(e event.TypedUpdateEvent[O]) bool {
			if objects.IsNil(e.ObjectOld) || objects.IsNil(e.ObjectNew) {
				return true
			}
			from := e.ObjectOld.GetResourceVersion()
			return from == "" || e.ObjectOld.GetUID() != e.ObjectNew.GetUID() || objects.SameState(e.ObjectOld, e.ObjectNew) ||
				!made(writes, from, e.ObjectNew)
		},
	}
}

// made asks whether all that led to the object was written by the client; again once
// everything has been answered that was on its way, if it is not known yet.
func made(writes delta.OwnWrites, from string, obj client.Object) bool {
	uid, to := obj.GetUID(), obj.GetResourceVersion()
	if writes.Made(uid, from, to) {
		return true
	}
	ctx, cancel := context.WithTimeout(context.Background(), answerIn)
	defer cancel()
	if err := writes.Settled(ctx, obj); err != nil {
		log.V(1).Info("A write was not answered in time; an event that may show it is passed", "object", client.ObjectKeyFromObject(obj).String())
	}
	return writes.Made(uid, from, to)
}

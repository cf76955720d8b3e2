package predicate

import (
	"context"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	ctrlpredicate "sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/delta-runtime/delta-runtime/internal/api/objects"
	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// answerIn is how long an event waits for the answer to a write that it may show. If the API
// server takes longer, the event passes.
const answerIn = time.Second

// NotOwnWrite holds back updates and creations that one client wrote, and nobody else. It
// passes everything else. The client is the one that writes belongs to: get them from
// manager.OwnWrites. The client of a manager makes the writes of all its controllers. Some
// clients do not remember what they write, as that of a manager that had only NewCache set. For
// them manager.OwnWrites returns nil. Then everything passes, and the log says so at once.
//
// NotOwnWrite never holds back a change by somebody else. It holds back an update only if the
// client's own writes led from the old state to the new one, without a gap, whatever the watch
// left out. manager.RecordWrites says which writes are known that well. An update passes where
// it is not known, so a controller may still hear of its own writes: after a patch of any
// version, after more writes than the client remembers, after a restart. Objects of a first
// list pass. Deletions pass, because who deletes an object waits for its end.
//
// An event may come before the answer to the write that it shows. It waits up to a second for
// the answers to those writes of its object that are on their way. The handler gets the later
// events of the kind after that.
//
// A controller that reconciles the effects of its own writes needs no such events, as one that
// waits until what it has created is ready. A controller that works in steps, each begun by the
// event of the one before, must not use it.
func NotOwnWrite(writes delta.OwnWrites) ctrlpredicate.Predicate {
	return TypedNotOwnWrite[client.Object](writes)
}

// TypedNotOwnWrite is [NotOwnWrite] for objects of one type.
func TypedNotOwnWrite[O client.Object](writes delta.OwnWrites) ctrlpredicate.TypedPredicate[O] {
	if objects.IsNil(writes) {
		log.Error(nil, "A predicate is to hold back what a client wrote that does not remember it; it passes every event: "+
			"use manager.Configure of delta-runtime, or set NewClient to its manager.NewClient")
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
			return from == "" || e.ObjectOld.GetUID() != e.ObjectNew.GetUID() || path.SameState(e.ObjectOld, e.ObjectNew) ||
				!made(writes, from, e.ObjectNew)
		},
	}
}

// made reports whether the client wrote all that led to the object. If that is not known yet, it
// waits for the answers to the writes that are on their way, and asks again.
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

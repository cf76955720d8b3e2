package source

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// answerIn is how long an event waits for the answer to a write that it may show. An
// API server that takes longer has its events passed.
const answerIn = time.Second

// updates is a predicate that has an opinion on updates alone: what is created, deleted
// or generic passes.
func updates[O client.Object](passes func(before, after O) bool) predicate.TypedFuncs[O] {
	return predicate.TypedFuncs[O]{UpdateFunc: func(e event.TypedUpdateEvent[O]) bool {
		return isNil(e.ObjectOld) || isNil(e.ObjectNew) || passes(e.ObjectOld, e.ObjectNew)
	}}
}

// ChangedAt passes an update only if it touches one of the paths, and everything else;
// see [delta.Diff.Touches]. An update that a relist showed passes as well, since it may
// hide what was changed and changed back; and so does a resync that somebody asked for. See
// [RelistedPredicate] and [ResyncPredicate]. It compares without a schema, and takes a
// list as one value: a path into a list is touched if anything in the list changes.
//
// A predicate cannot return an error. If a path can't be read, or there is none, this one
// passes everything, and logs that when it is made. If a path can't exist in any kind that
// it is shown, it passes every update, and logs that once it finds out. If the path can
// exist in one of the kinds, objects of the others do not touch it. Have [delta.MustPath] or
// the builder's WithPaths check your paths when the program starts: a predicate does not
// know the fields of a custom resource that is watched in unstructured form. If neither
// state of such an object has the path, any change touches it.
func ChangedAt[O client.Object](paths ...string) predicate.TypedPredicate[O] {
	parsed := make([]delta.Path, len(paths))
	for i, path := range paths {
		var err error
		if parsed[i], err = delta.ParsePath(path); err != nil {
			log.Error(err, "A predicate has a path that can't be read; it passes every event", "path", path)
			return updates(func(O, O) bool { return true })
		}
	}
	if len(parsed) == 0 {
		log.Error(nil, "A predicate asks for changes at no path; it passes every event")
		return updates(func(O, O) bool { return true })
	}
	return byContent[O]{newPathPredicate[O](slices.Clone(paths), parsed)}
}

// NotResync passes everything but resyncs, whoever asked for them, and updates from a
// state to the same state, as a relist shows them. Of updates of objects without a
// resource version, those pass that have two objects in memory.
func NotResync[O client.Object]() predicate.TypedPredicate[O] {
	return notResync[O]{updates(func(before, after O) bool { return !sameState(before, after) })}
}

func sameState(before, after client.Object) bool {
	if before == after {
		return true
	}
	version := after.GetResourceVersion()
	return version != "" && version == before.GetResourceVersion() && before.GetUID() == after.GetUID() &&
		reflect.DeepEqual(before, after) // some servers change objects without giving them new versions
}

// NotStatusOnly passes everything but an update of the status alone, with what comes
// along: resourceVersion and managedFields. If anything else differs it passes, the
// generation as well: a kind without a status subresource counts changes of its status
// there. It looks at the content, so that it may be used for kinds without generation
// and without status. A resync passes; see [NotResync]. So does an update that a relist
// showed, since it may hide what was changed and changed back.
//
// Metadata alone does not show a status. If nothing differs in it then, the generation
// decides: it counts everything but the status, for kinds that have one. A PriorityClass
// has one that never changes, so its updates pass.
func NotStatusOnly[O client.Object]() predicate.TypedPredicate[O] {
	return byContent[O]{updates(func(before, after O) bool {
		if sameState(before, after) || before.GetGeneration() != after.GetGeneration() {
			return true
		}
		diff := delta.NewDiff(before, after, nil)
		if diff.Err() != nil || diff.Truncated() {
			return true
		}
		for path := range diff.Paths() {
			if path != "status" && !strings.HasPrefix(path, "status.") && !strings.HasPrefix(path, "status[") {
				return true
			}
		}
		_, partial := any(after).(*metav1.PartialObjectMetadata)
		return partial && !countsContent(after)
	})}
}

// countsContent reports whether the generation of an object changes with its content. It
// does for all kinds that have one but PriorityClass, whose server only sets it.
func countsContent(obj client.Object) bool {
	kind := obj.GetObjectKind().GroupVersionKind().GroupKind()
	return obj.GetGeneration() != 0 && kind != schema.GroupKind{Group: "scheduling.k8s.io", Kind: "PriorityClass"}
}

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
// answers to those writes of its object that are on their way, up to a second, and
// holds up the events of its kind meanwhile that this handler is told after it.
//
// A controller that reconciles the effects of its own writes, as one that waits for
// what it has created to become ready does, needs no such events; one that works in
// steps, each begun by the event of the one before, must not use it.
func NotOwnWrite[O client.Object](writes delta.OwnWrites) predicate.TypedPredicate[O] {
	if isNil(writes) {
		log.Error(nil, "A predicate is to hold back what a client wrote that does not remember it; it passes every event: "+
			"use manager.Configure or manager.New of delta-runtime, or set NewClient to its manager.NewClient")
		return predicate.TypedFuncs[O]{}
	}
	return predicate.TypedFuncs[O]{
		CreateFunc: func(e event.TypedCreateEvent[O]) bool {
			return e.IsInInitialList || isNil(e.Object) || !made(writes, "", e.Object)
		},
		UpdateFunc: func(e event.TypedUpdateEvent[O]) bool {
			if isNil(e.ObjectOld) || isNil(e.ObjectNew) {
				return true
			}
			from := e.ObjectOld.GetResourceVersion()
			return from == "" || e.ObjectOld.GetUID() != e.ObjectNew.GetUID() || sameState(e.ObjectOld, e.ObjectNew) ||
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

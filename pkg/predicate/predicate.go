package predicate

import (
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	ctrlpredicate "sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/delta-runtime/delta-runtime/internal/api/objects"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

var log = logf.Log.WithName("predicate")

// OnResync is a predicate that decides on resyncs. [NotResync] is one.
//
// Somebody may ask for a resync, by a policy or at once. Such a resync passes, whatever other
// predicates say of updates: nothing has changed in it, so a predicate that waits for a change
// would hold back all of it. Our sources ask the others only whether they let the object pass at
// all, as its update, or else as a creation in a first list. So predicates that choose objects
// choose them in a resync as well.
//
// controller-runtime's And, Or and Not combine predicates. Beside a predicate that decides on
// resyncs, those that do not count for nothing. A predicate that wraps another one in any other
// way has to have this method itself.
//
// A resync of controller-runtime's SyncPeriod is an update to all predicates, and nobody calls
// this method; see [delta.ResyncTerms].
type OnResync[O any] interface {
	ctrlpredicate.TypedPredicate[O]
	// Resync reports whether an object that a resync shows is to pass.
	Resync(object O, terms delta.ResyncTerms) bool
}

// OnRelist is a predicate that can't judge some updates: those that a relist showed, and those
// that follow a state which the informer could not read; see [delta.Delta.Relisted]. Something
// may have changed and changed back in between, and a reconciler may have read it. [ChangedAt]
// and [NotStatusOnly] are such predicates. Informers that are not ours don't say which updates
// these are.
type OnRelist[O any] interface {
	ctrlpredicate.TypedPredicate[O]
	// Relisted reports whether an update that a relist showed is to pass although Update
	// holds it back.
	Relisted(e event.TypedUpdateEvent[O]) bool
}

// updates returns a predicate that passes everything except the updates that passes
// rejects.
func updates[O client.Object](passes func(before, after O) bool) ctrlpredicate.TypedFuncs[O] {
	return ctrlpredicate.TypedFuncs[O]{UpdateFunc: func(e event.TypedUpdateEvent[O]) bool {
		return objects.IsNil(e.ObjectOld) || objects.IsNil(e.ObjectNew) || passes(e.ObjectOld, e.ObjectNew)
	}}
}

// byContent is a predicate that judges updates by what differs.
type byContent[O client.Object] struct {
	ctrlpredicate.TypedPredicate[O]
}

// Relisted passes all updates, because nobody knows what differed in between.
func (byContent[O]) Relisted(event.TypedUpdateEvent[O]) bool { return true }

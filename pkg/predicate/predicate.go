package predicate

import (
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	ctrlpredicate "sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/delta-runtime/delta-runtime/internal/objects"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

var log = logf.Log.WithName("predicate")

// OnResync is a predicate that decides on resyncs. [NotResync] is one.
//
// A resync that somebody asked for, by a policy or by name, passes what other predicates
// say of updates: in a resync nothing has changed, so a predicate that waits for a change
// would hold back all of it. They are asked whether they let the object pass at all: its
// update, or else its creation, as in a first list. So those that choose objects choose
// them in a resync as well.
//
// Where predicates are combined by controller-runtime's And, Or and Not, those that have
// no say in resyncs count for nothing beside those that have. A predicate that wraps
// another one in any other way has to have this method itself.
//
// A resync of controller-runtime's SyncPeriod is an update to all of them, and nobody is
// asked here; see [delta.ResyncTerms].
type OnResync[O any] interface {
	ctrlpredicate.TypedPredicate[O]
	// Resync reports whether an object that a resync shows is to pass.
	Resync(object O, terms delta.ResyncTerms) bool
}

// OnRelist is a predicate that can't judge an update that a relist showed, or that follows a
// state which could not be read; see [delta.Delta.Relisted]. Something may have changed and
// changed back in between, and a reconciler may have read it. [ChangedAt]
// and [NotStatusOnly] are such predicates. Informers that are not ours don't say which
// updates these are.
type OnRelist[O any] interface {
	ctrlpredicate.TypedPredicate[O]
	// Relisted reports whether an update that a relist showed is to pass although Update
	// holds it back.
	Relisted(e event.TypedUpdateEvent[O]) bool
}

// updates is a predicate that has an opinion on updates alone: what is created, deleted
// or generic passes.
func updates[O client.Object](passes func(before, after O) bool) ctrlpredicate.TypedFuncs[O] {
	return ctrlpredicate.TypedFuncs[O]{UpdateFunc: func(e event.TypedUpdateEvent[O]) bool {
		return objects.IsNil(e.ObjectOld) || objects.IsNil(e.ObjectNew) || passes(e.ObjectOld, e.ObjectNew)
	}}
}

// byContent judges updates by what differs.
type byContent[O client.Object] struct {
	ctrlpredicate.TypedPredicate[O]
}

// Relisted passes all, since what differed in between is not known.
func (byContent[O]) Relisted(event.TypedUpdateEvent[O]) bool { return true }

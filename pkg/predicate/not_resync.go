package predicate

import (
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlpredicate "sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// NotResync holds back resyncs, and updates from a state to the same state, as a relist shows
// them. It passes everything else. If an object has no resource version, an update from one
// object in memory to another one passes.
func NotResync() ctrlpredicate.Predicate { return TypedNotResync[client.Object]() }

// TypedNotResync is [NotResync] for objects of one type.
func TypedNotResync[O client.Object]() ctrlpredicate.TypedPredicate[O] {
	return notResync[O]{updates(func(before, after O) bool { return !path.SameState(before, after) })}
}

// notResync is a predicate that decides on resyncs.
type notResync[O client.Object] struct{ ctrlpredicate.TypedFuncs[O] }

// Resync passes none.
func (notResync[O]) Resync(O, delta.ResyncTerms) bool { return false }

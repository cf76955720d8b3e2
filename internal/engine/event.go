package engine

import (
	"slices"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// event is a delta that was applied to the store, on its way to the listeners. The
// Controller makes a slice of them from each batch; once published it is shared
// and read-only.
type event[T any] struct {
	delta.Delta[T]

	// to is who is told; nil is everyone. Only a Sync has an audience.
	to *audience

	// again marks an Added of an object that was removed silently before. Listeners
	// that were told of the object then still believe in it.
	again bool
}

// audience is a set of listeners, by their number. It is immutable once an event
// carries it, because events share it.
type audience struct {
	members []uint32 // sorted, without repeats
}

var (
	everyone *audience
	nobody   = &audience{}
)

// empty reports whether nobody is to be told.
func (a *audience) empty() bool { return a != nil && len(a.members) == 0 }

// has reports whether the listener is to be told. A nil audience has everyone.
func (a *audience) has(listener uint32) bool {
	if a == nil {
		return true
	}
	_, found := slices.BinarySearch(a.members, listener)
	return found
}

// union returns an audience with the members of both. Nil, which is everyone,
// swallows any other.
func (a *audience) union(b *audience) *audience {
	if a == b || a == nil || b == nil {
		if a == b {
			return a
		}
		return nil
	}
	members := slices.Concat(a.members, b.members)
	slices.Sort(members)
	return &audience{members: slices.Compact(members)}
}

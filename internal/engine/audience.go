package engine

import "slices"

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

// without returns the audience less one listener.
func (a *audience) without(listener uint32) *audience {
	if !a.has(listener) {
		return a
	}
	members := slices.DeleteFunc(slices.Clone(a.members), func(m uint32) bool { return m == listener })
	return &audience{members: members}
}

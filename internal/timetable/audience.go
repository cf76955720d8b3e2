package timetable

import "slices"

// Audience is a set of listeners, by their number. It is immutable once an event
// carries it, because events share it.
type Audience struct {
	Members []uint32 // sorted, without repeats
}

var (
	Everyone *Audience
	Nobody   = &Audience{}
)

// Empty reports whether nobody is to be told.
func (a *Audience) Empty() bool { return a != nil && len(a.Members) == 0 }

// Has reports whether the listener is to be told. A nil audience has everyone.
func (a *Audience) Has(listener uint32) bool {
	if a == nil {
		return true
	}
	_, found := slices.BinarySearch(a.Members, listener)
	return found
}

// Union returns an audience with the members of both. Nil, which is everyone,
// swallows any other.
func (a *Audience) Union(b *Audience) *Audience {
	if a == b || a == nil || b == nil {
		if a == b {
			return a
		}
		return nil
	}
	members := slices.Concat(a.Members, b.Members)
	slices.Sort(members)
	return &Audience{Members: slices.Compact(members)}
}

// without returns the audience less one listener.
func (a *Audience) without(listener uint32) *Audience {
	if !a.Has(listener) {
		return a
	}
	members := slices.DeleteFunc(slices.Clone(a.Members), func(m uint32) bool { return m == listener })
	return &Audience{Members: members}
}

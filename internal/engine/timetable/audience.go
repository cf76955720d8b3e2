package timetable

import "slices"

// Audience is a set of subscribers, by their number. It is immutable once an event
// carries it, because events share it.
type Audience struct {
	Members []uint32 // sorted, without repeats
}

var (
	// Everyone is the audience that has all subscribers.
	Everyone *Audience
	// Nobody is the audience without members.
	Nobody = &Audience{}
)

// Empty reports whether nobody is to be told.
func (a *Audience) Empty() bool { return a != nil && len(a.Members) == 0 }

// Has reports whether the subscriber is to be told. A nil audience has everyone.
func (a *Audience) Has(subscriber uint32) bool {
	if a == nil {
		return true
	}
	_, found := slices.BinarySearch(a.Members, subscriber)
	return found
}

// Union returns an audience with the members of both. Nil, which is everyone,
// swallows any other.
func (a *Audience) Union(b *Audience) *Audience {
	switch {
	case a == b:
		return a
	case a == nil || b == nil:
		return nil
	}
	members := slices.Concat(a.Members, b.Members)
	slices.Sort(members)
	return &Audience{Members: slices.Compact(members)}
}

// without returns the audience less one subscriber.
func (a *Audience) without(subscriber uint32) *Audience {
	if !a.Has(subscriber) {
		return a
	}
	members := slices.DeleteFunc(slices.Clone(a.Members), func(m uint32) bool { return m == subscriber })
	return &Audience{Members: members}
}

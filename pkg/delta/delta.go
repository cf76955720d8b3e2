package delta

import "time"

// Delta is one thing that happened to one object.
//
//	Op          Old                    New
//	Added       zero                   the object
//	Updated     the store's, before    the object
//	Deleted     the store's, before    the final state the server sent; zero if Missed
//	Sync        the object             the object
//	OutOfScope  the store's, before    zero
type Delta[T any] struct {
	Key Key
	Op  Op

	// Initial marks the objects of the first list, and those of the snapshot
	// that a late listener is given: they were there before, nothing happened.
	Initial bool

	// Missed marks a deletion that no event told us about: the object was absent
	// from a relist. When it went, and what it last looked like, is unknown.
	Missed bool

	Old T
	New T

	// Version is the resource version at which this was so: the object's own, or
	// the list's for a missed deletion. It is opaque; equality is always
	// meaningful, order only where the API server promises it.
	Version string

	// Seen is when we learned of it.
	Seen time.Time

	// Origin is what was read off the object as the server sent it, before a
	// transform removed parts of it. Nil unless the informer was told to look.
	Origin *Origin
}

// Origin says who made the change, as far as the object itself tells.
type Origin struct {
	Manager   string // the field manager that last touched it; advisory
	Operation string // "Apply" or "Update"
	Time      time.Time
}

// Object is the best known state of the object this is about: the new one, or
// the last known where a deletion was missed or the object is out of scope.
func (d *Delta[T]) Object() T {
	if d.Op == OutOfScope || d.Op == Deleted && d.Missed {
		return d.Old
	}
	return d.New
}

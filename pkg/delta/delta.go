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
	// that a late subscriber is given: they were there before, nothing happened.
	Initial bool

	// Missed marks a deletion that no event told us about: the object was absent
	// from a relist. When it went, and what it last looked like, is unknown.
	Missed bool

	// Relisted marks an Added or Updated that a relist showed and no event of a
	// watch did: what happened between Old and New, and how often, is unknown. It also
	// marks an Updated before which a state may have been left out, because it could not
	// be read or a transform refused it.
	Relisted bool

	Old T
	New T

	// Version is the resource version at which this was so: the object's own, or
	// the list's for a missed deletion. It is opaque; equality is always
	// meaningful, order only where the API server promises it.
	Version string

	// Seen is when we learned of it.
	Seen time.Time

	// Origin is where this comes from. Of a change it is what was read off the object
	// as the server sent it, before a transform removed parts of it, and nil unless the
	// informer was told to look. Of a Sync it has the resync's terms, and it marks an Initial delta
	// that was compared with a saved state.
	Origin *Origin
}

// Origin says who made a change, as far as the object itself tells, or who asked
// for a Sync.
type Origin struct {
	Manager   string // the field manager that last touched it; advisory
	Operation string // "Apply" or "Update"
	Time      time.Time

	// Resync is set for a Sync that a resync asked for, and for nothing else. It is
	// here because a Sync has no other origin, and other deltas need no room for it.
	Resync *ResyncTerms
	// Remembered marks an Initial delta that says how an object differs from the state that an
	// earlier process had saved of it; see manager.WithMemory. It may have any Op.
	Remembered bool
}

// ResyncTerms tell the receiver of a Sync about the policy that asked for it.
type ResyncTerms struct {
	// OnDemand means that somebody asked for it now, and no period did.
	OnDemand bool
	// AsUpdate means that it is to be seen as an update in which nothing changed, as a
	// resync of controller-runtime's SyncPeriod is.
	AsUpdate bool
	// OnlyIfNotReconciledFor leaves the Sync without consequence if the object was
	// reconciled more recently than this. Zero never does.
	OnlyIfNotReconciledFor time.Duration
}

// Resync returns the terms of the resync that asked for this Sync. They are nil for
// every other delta, and for a Sync that no resync asked for: of an object that a relist,
// or a repeated event, shows as it was.
func (d *Delta[T]) Resync() *ResyncTerms {
	if d.Op != Sync || d.Origin == nil {
		return nil
	}
	return d.Origin.Resync
}

// Object is the best known state of the object this is about: the new one, or
// the last known where a deletion was missed or the object is out of scope.
func (d *Delta[T]) Object() T {
	if d.Op == OutOfScope || d.Op == Deleted && d.Missed {
		return d.Old
	}
	return d.New
}

package delta

import (
	"cmp"
	"slices"
)

// account is what is known of one request. It has no lock and no clock.
//
//	record ──▶ pending ──take──▶ told ──succeeded──▶ gone
//	              ▲                │
//	              └── in front ────┴──failed
type account struct {
	pending []Change // recorded since the request was last taken
	told    []Change // what the reconciler is working on; shared with its Changes, so never written to
	running bool
	timer   bool // it was taken with nothing recorded

	failures int // since the last success
	// lacking is why pending is not everything, lacksTold why told is not; empty if it is.
	lacking, lacksTold string
	gaps               uint32 // of the books, when the request was last taken or else first recorded

	// recorded is how many changes were recorded whose request is yet to reach the
	// queue; owed, that a request may reach the worker although the change it was made
	// for was told with an earlier one.
	recorded int
	owed     bool
}

func (a *account) len() int { return len(a.pending) + len(a.told) }

// add records a change, and returns the list without what is more than it may hold.
func add(list []Change, next *Change, limit int) (_ []Change, overflowed bool) {
	for i := len(list) - 1; i >= 0; i-- {
		if aboutSame(&list[i], next) {
			if fold(&list[i], next) {
				return list, false
			}
			break
		}
	}
	list = append(list, *next)
	if len(list) > limit {
		return append(list[:0], list[1:]...), true // the oldest is worth least
	}
	return list, false
}

// tell hands what is pending to the reconciler.
func (a *account) tell() {
	if len(a.told) == 0 {
		a.told = a.pending
	} else { // two workers at one request, which no controller does
		a.told = slices.Concat(a.told, a.pending)
	}
	a.pending, a.lacking, a.running = nil, "", true
}

// putBack has what the reconciler failed with told again, before what is newer.
func (a *account) putBack(limit int) (overflowed bool) {
	newer := a.pending
	a.pending, a.told = slices.Clone(a.told), nil
	a.lacking, a.lacksTold = cmp.Or(a.lacksTold, a.lacking), ""
	for i := range newer {
		var over bool
		a.pending, over = add(a.pending, &newer[i], limit)
		overflowed = overflowed || over
	}
	return overflowed
}

// born reports whether the object that the request is about has come into being since
// the request was last taken, so that nothing can have been missed of it.
func (a *account) born() bool {
	for i := range a.pending {
		if a.pending[i].Cause == Primary && a.pending[i].Op == Added {
			return true
		}
	}
	return false
}

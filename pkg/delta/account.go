package delta

import (
	"cmp"
	"slices"
)

// account is what is known of one request. It has no lock and no clock.
//
//	record ──▶ pending ──take──▶ told ──dealt with──▶ gone
//	              ▲                │
//	              └── in front ────┴──failed, or unfinished
type account struct {
	pending []Change // recorded since the request was last taken, and what is told again
	places  places   // of pending
	told    []Change // what the reconciler is working on. Invariant: never written to, because its Changes share it.
	running bool
	news    bool // something was recorded since the request was last taken

	failures   int  // since the last success
	unfinished bool // the last call kept what it was told
	dealt      bool // what had been told was dealt with before the last call failed
	// lacking is why pending is not everything, lacksTold why told is not; empty if it is.
	lacking, lacksTold string
	gaps, lists        uint32 // of the books, when the request was last taken or else first recorded
	doubt              bool   // something has been listed again since the last success
	// begins is whether pending has the beginning of the object that the request is about, tellsBegin whether told has.
	begins, tellsBegin bool

	arrivals arrivals
	loose    bool       // something was recorded, and nobody knows for what object
	steps    *doneSteps // after the last call, if it failed
}

// arrivals count how often the request may reach a worker with nothing to tell, because
// what it was added for was told with an earlier arrival.
type arrivals struct {
	flying int  // recorded, and not in the queue yet. Invariant: not negative.
	landed int  // in the queue. Invariant: not negative.
	later  bool // at some time by a timer
	loose  bool // which may have been set for something, and nobody knows for what object
}

// takeWithNews notes that a worker has the request. The queue holds a request once, and
// once more if it is added while a worker has it. A worker that has just got it may not have
// taken it yet, so one arrival can follow however many have landed.
func (n *arrivals) takeWithNews() { n.landed = min(max(0, n.landed-1), 1) }

// takeWithNone does so where there is nothing to tell.
func (n *arrivals) takeWithNone() {
	if n.landed == 0 && n.flying == 0 {
		n.later, n.loose = false, false // this was the timer
	}
	n.takeWithNews()
}

// explain reports whether the request may arrive with nothing to tell.
func (n *arrivals) explain() bool { return n.flying > 0 || n.landed > 0 || n.later }

func (a *account) len() int { return len(a.pending) + len(a.told) }

// add records a change, and reports whether that left out the oldest, which is worth least.
func (a *account) add(next *Change, limit int) (overflowed bool) {
	for i := a.places.before(a.pending, next, len(a.pending)); i >= 0; i = a.places.before(a.pending, next, i) {
		if fold(&a.pending[i], next) {
			return false
		}
		if !isUpdate(&a.pending[i]) || !isUpdate(next) { // nothing is told across a beginning or an end
			break
		}
	}
	a.pending = append(a.pending, *next)
	a.places.added(a.pending)
	if len(a.pending) <= limit {
		return false
	}
	a.places.dropped(&a.pending[0])
	a.pending[0] = Change{}
	a.pending = a.pending[1:]
	return true
}

// tell hands what is pending to the reconciler.
func (a *account) tell() {
	if len(a.told) == 0 {
		a.told = a.pending
	} else { // two workers at one request, which no controller does
		a.told = slices.Concat(a.told, a.pending)
	}
	a.tellsBegin = a.tellsBegin || a.begins
	a.pending, a.places, a.lacking, a.begins, a.running, a.news = nil, places{}, "", false, true, false
}

// putBack has what was not dealt with told again, before what is newer.
func (a *account) putBack(limit int) (overflowed bool) {
	newer := a.pending
	a.pending, a.told = slices.Clone(a.told), nil
	for i := range a.pending {
		a.pending[i].retold, a.pending[i].news, a.pending[i].told = true, false, a.pending[i].Object()
	}
	a.places = placesIn(a.pending)
	a.lacking, a.lacksTold = cmp.Or(a.lacksTold, a.lacking), ""
	for i := range newer {
		overflowed = a.add(&newer[i], limit) || overflowed
	}
	return overflowed
}

// goesOn reports whether what was told before is told again, so that it is known already
// whether that was everything.
func (a *account) goesOn() bool { return a.failures > 0 || a.unfinished }

// idle reports whether nobody is at work with the request, and the queue need not have it.
func (a *account) idle() bool { return a.goesOn() && !a.running && a.arrivals.flying == 0 }

// done reports whether the request has been dealt with, and nothing more of it is known to
// come.
func (a *account) done() bool {
	return !a.running && !a.news && !a.goesOn() && a.len() == 0 && a.arrivals.flying == 0
}

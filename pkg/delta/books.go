package delta

import (
	"cmp"
	"time"
)

// Why changes may be incomplete, as [Changes.Incomplete] tells it.
const (
	notFollowed  = "this controller keeps no record of changes"
	firstTime    = "the request has not succeeded since the controller started, or since changes were last missed"
	fromTheStart = "an object was there when its kind or namespace was first listed; what happened to it before is not known"
	missedSome   = "changes may have been missed: a namespace was dropped, an object could not be read, or events were left out"
	tooMany      = "there were more changes than are kept"
	unrecorded   = "the request was made by something that records no changes"
)

// evictionLooks is how many accounts are looked at for one that can be closed.
const evictionLooks = 64

// books has the accounts of all requests. It has no lock and no clock.
type books[R comparable] struct {
	limits   LedgerLimits
	accounts map[R]*account
	past     remembered[R]
	held     int    // changes in all accounts
	gaps     uint32 // how many times changes may have been missed, of all requests
	blind    string // why no request is ever completely known; empty if they may be

	overflows uint64
	lost      bool // something was left out of which there is no trace but this
}

func newBooks[R comparable](limits LedgerLimits) *books[R] {
	return &books[R]{limits: limits, accounts: map[R]*account{}, past: newRemembered[R](limits.Remembered)}
}

// open returns the request's account. Nil says that there are too many.
func (b *books[R]) open(r R) *account {
	a := b.accounts[r]
	if a == nil {
		if len(b.accounts) >= b.limits.Requests && !b.evict() {
			b.lose(r)
			return nil
		}
		a = &account{gaps: b.gaps}
		b.accounts[r] = a
	}
	return a
}

// evict closes the account of a request that failed and may never be asked for again.
func (b *books[R]) evict() bool {
	looked := 0
	for r, a := range b.accounts {
		if a.failures > 0 && !a.running && a.recorded == 0 {
			b.held -= a.len()
			delete(b.accounts, r)
			b.lose(r)
			return true
		}
		if looked++; looked == evictionLooks {
			break // the map begins anywhere, so the next call looks at others
		}
	}
	return false
}

// lose notes that there is no account of a request although something happened. Unless
// it is remembered to have succeeded it counts as not known.
func (b *books[R]) lose(r R) {
	b.past.forget(r)
	b.lost = true
	b.overflows++
}

// record notes a change before the request is put into the queue.
func (b *books[R]) record(r R, change *Change) {
	a := b.open(r)
	if a == nil {
		return
	}
	a.recorded++
	if change.Cause == InitialList {
		a.lacking = fromTheStart
	}
	if b.held >= b.limits.Changes && !b.evict() {
		b.overflow(a)
		return
	}
	before := a.len()
	var over bool
	if a.pending, over = add(a.pending, change, b.limits.PerRequest); over {
		b.overflow(a)
	}
	b.held += a.len() - before
}

func (b *books[R]) overflow(a *account) {
	a.lacking = tooMany
	b.overflows++
}

// landed notes that the request is in the queue, now or later. What comes later may
// come when its change has long been told.
func (b *books[R]) landed(r R, when arrival) {
	a := b.accounts[r]
	if a == nil {
		return
	}
	a.recorded = max(0, a.recorded-1)
	if when == later {
		a.owed = true
	}
}

// take hands out what there is to tell of a request that a worker has taken.
func (b *books[R]) take(r R, now time.Time) Changes {
	last, succeeded := b.past.get(r)
	succeeded = succeeded && last.gaps == b.gaps
	a := b.open(r)
	if a == nil {
		return Changes{lacking: tooMany}
	}
	a.lacksTold = cmp.Or(a.lacksTold, a.lacking, b.lacks(a, succeeded))
	a.owed = a.owed || a.recorded > 0 || last.owed
	a.timer = len(a.pending) == 0 && a.failures == 0
	list := a.pending
	switch {
	case a.failures > 0:
		list = append([]Change{derived(Retry, now)}, list...)
	case a.timer && a.owed:
		list = []Change{derived(Timer, now)}
	case a.timer:
		a.lacksTold = cmp.Or(a.lacksTold, unrecorded)
	}
	a.tell()
	a.gaps = b.gaps
	lacking := cmp.Or(b.blind, a.lacksTold)
	return Changes{list: list, attempt: a.failures + 1, complete: lacking == "", lacking: lacking}
}

// lacks says what is not known of a request when it is taken.
func (b *books[R]) lacks(a *account, succeeded bool) string {
	switch {
	case a.gaps != b.gaps:
		return missedSome
	case !succeeded && a.failures == 0 && (b.lost || !a.born()):
		return firstTime
	default:
		return ""
	}
}

// derived is a change that is not recorded but follows from what happened to the
// request.
func derived(cause Cause, now time.Time) Change {
	return Change{Cause: cause, First: now, Last: now, Deltas: 1}
}

// settle notes what became of a request that was taken.
func (b *books[R]) settle(r R, how Outcome, now time.Time) {
	a := b.accounts[r]
	if a == nil || !a.running {
		return
	}
	a.running = false
	if how == Failed {
		b.failed(a)
		return
	}
	owed := a.owed && !a.timer || a.recorded > 0 || a.failures > 0 || how == SucceededWithTimer
	b.past.put(r, success{at: now.UnixNano(), gaps: a.gaps, owed: owed})
	b.held -= len(a.told)
	a.told, a.lacksTold, a.failures, a.owed = nil, "", 0, false
	if len(a.pending) > 0 || a.recorded > 0 {
		return
	}
	delete(b.accounts, r)
	if a.lacking != "" { // what came while the reconciler was at work is not there
		b.lose(r)
	}
}

// failed keeps everything to be told again.
func (b *books[R]) failed(a *account) {
	a.failures++
	a.owed = true // the controller has asked for the request, or nobody will
	before := a.len()
	if a.putBack(b.limits.PerRequest) {
		b.overflow(a)
	}
	b.held += a.len() - before
}

// miss notes that changes may have been missed, of any request.
func (b *books[R]) miss() { b.gaps++ }

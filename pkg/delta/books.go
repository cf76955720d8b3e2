package delta

import (
	"cmp"
	"slices"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/ledger"
)

// Why changes may be incomplete, as [Changes.Incomplete] tells it.
const (
	notFollowed  = "nothing is recorded here: the controller is not one of delta-runtime's builder, or it is WithoutLedger, or the context is not the reconciler's"
	firstTime    = "no success with the request is known since the process started"
	fromTheStart = "an object was there when its kind or namespace was first listed; what happened to it before is not known"
	justStarted  = "the process has just started"
	missedSome   = "changes may have been missed: a watch or a namespace came or went, an object could not be read, or events were left out"
	tooMany      = "there were more changes than are kept"
	unrecorded   = "the request was made by something that records no changes"
	leftOut      = "the request was also made by something that does not name the object; it may have been one of these"
)

// evictionLooks is how many accounts are looked at for one that can be closed.
const evictionLooks = 64

// books has the accounts of all requests. It has no lock and no clock.
type books[R comparable] struct {
	limits   LedgerLimits
	accounts map[R]*account
	past     remembered[R]
	steps    recentSteps
	held     int    // Invariant: the number of changes in all accounts.
	gaps     uint32 // how many times changes may have been missed, of all requests. Invariant: it never goes back.
	lists    uint32 // how many times something has been listed again. Invariant: it never goes back.
	blind    string // why no request is ever completely known; empty if they may be

	overflows uint64
	unsettled unsettled
}

func newBooks[R comparable](limits LedgerLimits) *books[R] {
	return &books[R]{
		limits: limits, accounts: map[R]*account{},
		past: newRemembered[R](limits.Remembered),
	}
}

// open returns the request's account. Nil says that there are too many.
func (b *books[R]) open(r R) *account {
	a := b.accounts[r]
	if a == nil {
		if len(b.accounts) >= b.limits.Requests && !b.evict() {
			b.lose(r, true)
			return nil
		}
		a = &account{gaps: b.gaps, lists: b.lists}
		b.accounts[r] = a
	}
	return a
}

// evict closes the account of a request that failed, or was not finished, and may never be
// asked for again.
func (b *books[R]) evict() bool {
	looked := 0
	for r, a := range b.accounts {
		if a.idle() {
			b.held -= a.len()
			delete(b.accounts, r)
			b.lose(r, a.loose || a.arrivals.loose)
			return true
		}
		if looked++; looked == evictionLooks {
			break // the map begins anywhere, so the next call looks at others
		}
	}
	return false
}

// lose notes that there is no account of a request although something happened. It counts
// as not known until it succeeds again. The queue may have it, now or later, so it may also come when what
// was lost has been dealt with: out of the queue, once more because it was added meanwhile, and by a timer. Loose says
// whether it may have been added for what nobody knows anything of.
func (b *books[R]) lose(r R, loose bool) {
	var lost success
	lost.owe(&arrivals{landed: mostLanded, later: true, loose: loose})
	b.past.put(r, lost)
	b.overflows++
}

// record notes a change before the request is put into the queue.
func (b *books[R]) record(r R, change *Change) {
	a := b.open(r)
	if a == nil {
		return
	}
	a.arrivals.flying++
	a.news = true
	a.loose = a.loose || unattributed(change)
	a.begins = a.begins || change.begins
	if change.Cause == InitialList {
		a.lacking = fromTheStart
	}
	if change.Cause == Restart { // a saved state may be wrong, so nothing is left out because of it
		a.lacking = justStarted
	}
	if b.held >= b.limits.Changes && !b.evict() {
		b.overflow(a)
		return
	}
	before := a.len()
	if a.add(change, b.limits.PerRequest) {
		b.overflow(a)
	}
	b.held += a.len() - before
}

func (b *books[R]) overflow(a *account) {
	a.lacking = tooMany
	b.overflows++
}

// landed notes that the request is in the queue, now or later. A request that comes later
// may come when its change has long been told.
func (b *books[R]) landed(r R, when arrival) {
	a := b.accounts[r]
	if a == nil {
		return
	}
	a.arrivals.flying = max(0, a.arrivals.flying-1)
	if when == later {
		a.arrivals.later = true
		a.arrivals.loose = a.arrivals.loose || a.loose
	} else {
		a.arrivals.landed++
	}
	if a.done() { // the worker was quicker than the one that added the request
		delete(b.accounts, r)
		if last, ok := b.past.get(r); ok {
			last.owe(&a.arrivals)
			b.past.put(r, last)
		}
	}
}

// take hands out what there is to tell of a request that a worker has taken, and which of
// its steps are done.
func (b *books[R]) take(r R, now time.Time) (Changes, *doneSteps) {
	last, succeeded := b.past.get(r)
	a := b.open(r)
	if a == nil {
		return Changes{lacking: tooMany}, noStep
	}
	done := cmp.Or(last.done, noStep)
	if a.goesOn() {
		done = a.steps
	}
	a.doubt = a.doubt || a.lists != b.lists || succeeded && last.lists != b.lists
	a.lacksTold = cmp.Or(a.lacksTold, a.lacking, b.lacks(a, last, succeeded))
	succeeded = succeeded && last.gaps == b.gaps
	a.arrivals.later, a.arrivals.loose = a.arrivals.later || last.owed, a.arrivals.loose || last.loose
	if last.landed > 0 {
		a.arrivals.landed += int(last.landed)
		last.landed = 0
		b.past.put(r, last)
	}
	list := a.pending
	switch {
	case a.failures > 0:
		again := derived(Retry, now)
		again.dealt = a.dealt
		list = append([]Change{again}, list...)
	case !a.news && (a.unfinished || a.arrivals.explain()):
		list = append([]Change{derived(Timer, now)}, list...)
		if a.arrivals.loose { // the timer may be for what nobody knows anything of
			list = append(list, derived(External, now))
		}
	case !a.news:
		a.lacksTold = cmp.Or(a.lacksTold, unrecorded)
	}
	if a.news {
		a.arrivals.takeWithNews()
	} else {
		a.arrivals.takeWithNone()
	}
	a.tell()
	a.gaps, a.lists = b.gaps, b.lists
	lacking := cmp.Or(b.blind, a.lacksTold)
	return Changes{
		list: list, attempt: a.failures + 1, retry: a.failures > 0 && !a.dealt, doubt: a.doubt, first: !succeeded, begins: a.tellsBegin,
		complete: lacking == "", lacking: lacking, resync: slices.ContainsFunc(list, isResync),
	}, done
}

// lacks says what is not known of an account when it is taken. Nobody knows what an earlier
// process did for a request that has not succeeded yet.
func (b *books[R]) lacks(a *account, last success, succeeded bool) string {
	switch {
	case a.gaps != b.gaps:
		return missedSome
	case a.goesOn():
		return ""
	case !succeeded:
		return firstTime
	case last.gaps != b.gaps:
		return missedSome
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
func (b *books[R]) settle(r R, how ledger.Outcome, done *doneSteps, now time.Time) {
	a := b.accounts[r]
	if a == nil || !a.running {
		return
	}
	a.running = false
	b.unsettled.note(how, now)
	if a.steps = done; how == ledger.Failed || how == ledger.Unfinished {
		b.keep(a, how)
		return
	}
	succeeded := success{at: now.UnixNano(), gaps: a.gaps, lists: a.lists, done: b.steps.shared(done)}
	a.arrivals.later = a.arrivals.later || how != ledger.Succeeded
	b.held -= len(a.told)
	a.told, a.lacksTold, a.unfinished, a.doubt, a.dealt = nil, "", false, false, how == ledger.SettledAndFailed
	a.tellsBegin = false
	if a.dealt {
		a.failures++
	} else {
		a.failures = 0
	}
	if a.dealt || len(a.pending) > 0 || a.arrivals.flying > 0 {
		b.past.put(r, succeeded)
		return
	}
	succeeded.owe(&a.arrivals)
	b.past.put(r, succeeded)
	delete(b.accounts, r)
	if a.lacking != "" || a.begins { // what came while the reconciler was at work is not there
		b.lose(r, a.loose || a.arrivals.loose)
	}
}

// keep has everything told again.
func (b *books[R]) keep(a *account, how ledger.Outcome) {
	if a.unfinished = how == ledger.Unfinished; a.unfinished {
		a.failures = 0
	} else {
		a.failures++
	}
	a.dealt = false
	a.arrivals.later = true // the controller has asked for the request, or nobody will
	before := a.len()
	if a.putBack(b.limits.PerRequest) {
		b.overflow(a)
	}
	b.held += a.len() - before
}

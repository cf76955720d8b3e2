package delta

import (
	"time"

	"github.com/delta-runtime/delta-runtime/internal/ledger"
)

// unsettled notices a reconciler that asks for another call each time and never settles. Nothing
// that it was told is ever dealt with, so it skips nothing, and says nothing of it.
type unsettled struct {
	calls uint64    // that left something to do since the last one that did not
	since time.Time // when the first of them ended
}

const (
	// manyUnsettled is how many calls it takes, and longUnsettled how long, to tell such a reconciler from one
	// that waits for something.
	manyUnsettled = 20
	longUnsettled = 10 * time.Minute

	neverSettles = "each call asks for another one and settles nothing, so nothing is ever ruled out: every step runs and Touches is always true. " +
		"Call delta.Settle(ctx) before returning RequeueAfter, once the work is done"
)

// note notes what became of a call.
func (u *unsettled) note(how ledger.Outcome, now time.Time) {
	switch how {
	case ledger.Unfinished:
		if u.calls == 0 {
			u.since = now
		}
		u.calls++
	case ledger.Failed: // which says nothing
	case ledger.Succeeded, ledger.SucceededWithTimer, ledger.SettledAndFailed:
		*u = unsettled{}
	}
}

// advice is for the author of such a reconciler, empty for others.
func (u *unsettled) advice(now time.Time) string {
	if u.calls < manyUnsettled || now.Sub(u.since) < longUnsettled {
		return ""
	}
	return neverSettles
}

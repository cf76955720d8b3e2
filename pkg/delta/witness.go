package delta

import (
	"slices"
	"time"
)

// lackings has a word for each reason why changes may be incomplete. Two more are in
// [clerk.Lacking].
var lackings = map[string]string{
	notFollowed:  "NotRecorded",
	firstTime:    "FirstTime",
	fromTheStart: "InitialList",
	missedSome:   "Missed",
	tooMany:      "Overflow",
	unrecorded:   "Unrecorded",
	leftOut:      "Unattributed",
	justStarted:  "Restart",
}

// Lacking is the [ledger.Witness]'s.
func (l *clerk[R]) Lacking(told Changes) string {
	if told.complete {
		return ""
	}
	why := told.Incomplete()
	if word, known := lackings[why]; known {
		return word
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if why == l.books.blind {
		return "Blind"
	}
	return "Other"
}

// Describe is the [ledger.Witness]'s.
func (*clerk[R]) Describe(told Changes, visit func(causes uint16, seen time.Time, own bool)) {
	for i := range told.list {
		c := &told.list[i]
		seen := c.First
		if c.retold || c.Cause == Retry || c.Cause == Timer || c.Cause == External {
			seen = time.Time{} // an earlier call was told it, or no watch has shown it
		}
		visit(uint16(causesOf(c)), seen, c.Own())
	}
}

// Waiting is the [ledger.Witness]'s.
func (l *clerk[R]) Waiting(r R) Changes {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := Changes{attempt: 1, complete: true, facts: l.tells}
	a := l.books.accounts[r]
	if a == nil {
		return c
	}
	c.list, c.attempt = slices.Clone(a.pending), a.failures+1
	c.complete, c.lacking = a.lacking == "", a.lacking
	return c
}

// HoldBack is the [ledger.Recorder]'s.
func (l *clerk[R]) HoldBack() { l.heldBack.Add(1) }

// HeldBack is the [ledger.Witness]'s.
func (l *clerk[R]) HeldBack() uint64 { return l.heldBack.Load() }

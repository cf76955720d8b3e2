package delta

import (
	"cmp"
	"iter"
	"sync/atomic"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
	"github.com/delta-runtime/delta-runtime/internal/ledger"
)

// clerk keeps a ledger.
//
//	source ── Record, Add to the queue, Landed ──▶ clerk ── Take ──▶ Changes ──▶ reconciler
//	                                                 ▲                               │
//	                                                 └──────────── Settle ───────────┘
//
// A worker could take a request whose change is not recorded yet, so the order of the
// drawing counts.
type clerk[R comparable] struct {
	facts    facts
	steps    stepCounts
	heldBack atomic.Uint64 // events that predicates have held back

	mu            lock.Mutex[lock.Clerk] // guards everything below
	books         *books[R]
	counts        []func() (gaps, relists uint64)
	gaps, relists uint64 // the sums of counts when they were last looked at
	begun         bool   // a call has taken its changes
	tells         *facts // for the calls that begin now. Invariant: never written to, because their Changes share it.
}

// arrival is when a request reaches the queue's workers.
type arrival uint8

const (
	atOnce arrival = iota + 1
	later
)

// Record is the [ledger.Recorder]'s.
func (l *clerk[R]) Record(r R, c Change) {
	l.complete(&c)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.books.record(r, &c)
}

// complete adds to a change what is the same for all of a ledger.
func (l *clerk[R]) complete(c *Change) {
	c.facts = &l.facts
	c.Kind = l.facts.kindOf(c) // if it stays empty, Of won't find it
	c.Deltas = max(1, c.Deltas)
}

// Landed is the [ledger.Recorder]'s.
func (l *clerk[R]) Landed(r R) { l.landed(r, atOnce) }

// LandedLater is the [ledger.Recorder]'s.
func (l *clerk[R]) LandedLater(r R) { l.landed(r, later) }

func (l *clerk[R]) landed(r R, when arrival) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.books.landed(r, when)
}

// Take is the [ledger.Teller]'s.
func (l *clerk[R]) Take(r R) Changes {
	changes, _ := l.take(r)
	return changes
}

func (l *clerk[R]) take(r R) (Changes, *doneSteps) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.begun = true
	l.lookLocked()
	changes, done := l.books.take(r, time.Now())
	changes.facts = l.tells
	return changes, done
}

// Settle is the [ledger.Teller]'s. It says of all steps that they are done.
func (l *clerk[R]) Settle(r R, how ledger.Outcome) { l.settle(r, how, everyStep) }

func (l *clerk[R]) settle(r R, how ledger.Outcome, done *doneSteps) {
	if advice := l.settled(r, how, done); advice != "" && l.facts.paths.first(advice) {
		l.facts.paths.log.Info("The reconciler never settles", "advice", advice)
	}
}

// settled returns the advice that there is for the reconciler by then.
func (l *clerk[R]) settled(r R, how ledger.Outcome, done *doneSteps) (advice string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lookLocked()
	now := time.Now()
	l.books.settle(r, how, done, now)
	return l.books.unsettled.advice(now)
}

func (l *clerk[R]) lastSuccessLocked(r R) (time.Time, bool) {
	last, ok := l.books.past.get(r)
	if !ok {
		return time.Time{}, false
	}
	return time.Unix(0, last.at), true
}

// Rests is the [ledger.Witness]'s. A success in the future is one before the clock was set back.
func (l *clerk[R]) Rests(r R, length time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	last, ok := l.lastSuccessLocked(r)
	if a := l.books.accounts[r]; !ok || a != nil && a.goesOn() {
		return false
	}
	since := time.Since(last)
	return since >= 0 && since < length
}

// Count is the [ledger.Auditor]'s.
func (l *clerk[R]) Count(missed func() (gaps, relists uint64)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counts = append(l.counts, missed)
}

// Blind is the [ledger.Auditor]'s.
func (l *clerk[R]) Blind(why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.books.blind = cmp.Or(l.books.blind, why)
}

// lookLocked notices that there are more gaps or relists than before. To record a change takes the lock, so what was
// missed before a change is counted with it.
func (l *clerk[R]) lookLocked() {
	var gaps, relists uint64
	for _, missed := range l.counts {
		g, r := missed()
		gaps, relists = gaps+g, relists+r
	}
	if gaps > l.gaps {
		l.books.gaps++
	}
	if relists > l.relists {
		l.books.lists++
	}
	l.gaps, l.relists = max(l.gaps, gaps), max(l.relists, relists)
}

// Once is the [ledger.Marker]'s.
func (*clerk[R]) Once(c Change) Change {
	c.once = &once{}
	return c
}

// ShownBy is the [ledger.Marker]'s.
func (*clerk[R]) ShownBy(c Change, watch Cause) Change {
	c.watch = watch
	return c
}

// Unfold is the [ledger.Marker]'s.
func (*clerk[R]) Unfold(c Change) iter.Seq[Change] { return unfold(&c) }

// HasNews is the [ledger.Marker]'s.
func (*clerk[R]) HasNews(c Change) bool { return !c.retold || c.news }

// Retold is the [ledger.Marker]'s.
func (*clerk[R]) Retold(c Change) bool { return retold(&c) }

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
	facts         facts
	gaps, relists counters
	steps         stepCounts
	heldBack      atomic.Uint64 // events that predicates have held back

	mu    lock.Mutex[lock.Clerk] // guards everything below
	books *books[R]
	begun bool   // a call has taken its changes
	tells *facts // for the calls that begin now. Invariant: never written to, because their Changes share it.
}

// counters are asked for counts that only grow.
type counters struct {
	all  atomic.Pointer[[]func() uint64] // copied when one is added
	seen uint64                          // their sum when it was last looked at; guarded by clerk.mu
}

func (c *counters) add(count func() uint64) {
	for {
		before := c.all.Load()
		var all []func() uint64
		if before != nil {
			all = append(all, *before...)
		}
		all = append(all, count)
		if c.all.CompareAndSwap(before, &all) {
			return
		}
	}
}

func (c *counters) sum() (sum uint64) {
	if counts := c.all.Load(); counts != nil {
		for _, count := range *counts {
			sum += count()
		}
	}
	return sum
}

// grownLocked reports whether the sum is higher than it has been.
func (c *counters) grownLocked(sum uint64) bool {
	grown := sum > c.seen
	c.seen = max(c.seen, sum)
	return grown
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
	gaps, relists := l.gaps.sum(), l.relists.sum()
	l.mu.Lock()
	l.begun = true
	l.missLocked(gaps, relists)
	changes, done := l.books.take(r, time.Now())
	changes.facts = l.tells
	l.mu.Unlock()
	// A change may have been recorded between the sum and the lock, and something missed
	// before it. So the counts are looked at again.
	if later, lists := l.gaps.sum(), l.relists.sum(); later > gaps || lists > relists {
		l.mu.Lock()
		l.missLocked(later, lists)
		lacking := ""
		if later > gaps {
			lacking = missedSome
		}
		l.books.doubt(r, &changes, lacking)
		l.mu.Unlock()
	}
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
	gaps, relists := l.gaps.sum(), l.relists.sum()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.missLocked(gaps, relists)
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

// Gaps is the [ledger.Auditor]'s.
func (l *clerk[R]) Gaps(count func() uint64) { l.gaps.add(count) }

// Relists is the [ledger.Auditor]'s.
func (l *clerk[R]) Relists(count func() uint64) { l.relists.add(count) }

// Blind is the [ledger.Auditor]'s.
func (l *clerk[R]) Blind(why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.books.blind = cmp.Or(l.books.blind, why)
}

// missLocked notices that there are more gaps or relists than before.
func (l *clerk[R]) missLocked(gaps, relists uint64) {
	if l.gaps.grownLocked(gaps) {
		l.books.miss()
	}
	if l.relists.grownLocked(relists) {
		l.books.lists++
	}
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

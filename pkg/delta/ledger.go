package delta

import (
	"cmp"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Ledger remembers for each request which changes it was made for, until a reconciler
// has succeeded with it.
//
//	source ── Record, Add to the queue, Landed ──▶ Ledger ── Take ──▶ Changes ──▶ reconciler
//	                                                 ▲                                │
//	                                                 └──────────── Settle ────────────┘
//
// Our builder gives each controller one. Whoever uses it otherwise keeps to the order
// of the drawing, for otherwise a worker could take a request whose change is not
// recorded yet. Any goroutine may call it. One worker at a time has a request.
type Ledger[R comparable] struct {
	facts facts
	gaps  atomic.Pointer[[]func() uint64] // copied when one is added

	mu    sync.Mutex // guards everything below
	books *books[R]
	seen  uint64 // the sum of gaps when it was last looked at
}

// LedgerOptions configure a Ledger. The zero value is ready.
type LedgerOptions struct {
	LedgerLimits
	// Schemas make differences exact in lists that are maps or sets.
	Schemas Schemas
	// Writes makes [Change.Own] work.
	Writes OwnWrites
	// KindOf makes [Changes.Of] work whatever objects are represented by; a scheme's
	// knowledge.
	KindOf func(Object) (schema.GroupVersionKind, error)
}

// LedgerLimits bound what a Ledger holds. Beyond them changes are left out, and the
// requests that they were for are not [Changes.Complete].
type LedgerLimits struct {
	// PerRequest is for how many changes one request is known. Zero means 64.
	PerRequest int
	// Changes is how many there are of all requests together. Zero means 262144.
	Changes int
	// Requests is how many have changes, or are at a worker. Zero means 131072.
	Requests int
	// Remembered is of how many requests the last success is known, by which it can be
	// told whether everything since is. Zero means 262144.
	Remembered int
}

func (l LedgerLimits) orDefaults() LedgerLimits {
	return LedgerLimits{
		PerRequest: positive(l.PerRequest, 64),
		Changes:    positive(l.Changes, 1<<18),
		Requests:   positive(l.Requests, 1<<17),
		Remembered: positive(l.Remembered, 1<<18),
	}
}

// positive is n, or fallback where n is no limit that anything could keep to.
func positive(n, fallback int) int { return cmp.Or(max(0, n), fallback) }

// arrival is when a request reaches the queue's workers.
type arrival uint8

const (
	atOnce arrival = iota + 1
	later
)

// Outcome is what became of a request.
type Outcome uint8

const (
	// Succeeded means that what was told has been dealt with.
	Succeeded Outcome = iota + 1
	// SucceededWithTimer is a success that asks to be called again.
	SucceededWithTimer
	// Failed means that it has to be told again: an error, also one that is not
	// retried, or a panic.
	Failed
)

// NewLedger returns a Ledger in which nothing is known.
func NewLedger[R comparable](opts LedgerOptions) *Ledger[R] {
	return &Ledger[R]{
		facts: facts{Schemas: opts.Schemas, Writes: opts.Writes, KindOf: opts.KindOf},
		books: newBooks[R](opts.LedgerLimits.orDefaults()),
	}
}

// Record notes that a request is about to be put into the queue for a change. The same
// change again is no other change if it is marked so, by [Change.Once].
func (l *Ledger[R]) Record(r R, c Change) {
	c.facts = &l.facts
	if obj := c.Object(); obj != nil && c.Kind.Empty() && l.facts.KindOf != nil {
		if kind, err := l.facts.KindOf(obj); err == nil { // else Of won't find it
			c.Kind = kind
		}
	}
	c.Deltas = max(1, c.Deltas)
	c.forgot = c.Deltas > 1
	l.mu.Lock()
	defer l.mu.Unlock()
	l.books.record(r, &c)
}

// Landed notes that the request is in the queue. It follows each Record.
func (l *Ledger[R]) Landed(r R) { l.landed(r, atOnce) }

// LandedLater notes that the request will be in the queue after a while. It follows a
// Record in place of Landed.
func (l *Ledger[R]) LandedLater(r R) { l.landed(r, later) }

func (l *Ledger[R]) landed(r R, when arrival) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.books.landed(r, when)
}

// Take returns what there is to tell of a request that a worker has taken from the
// queue. Settle has to follow, before the worker gives the request back to the queue.
func (l *Ledger[R]) Take(r R) Changes {
	gaps := l.countGaps()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.missLocked(gaps)
	changes := l.books.take(r, time.Now())
	changes.facts = &l.facts
	return changes
}

// Settle says what became of it.
func (l *Ledger[R]) Settle(r R, how Outcome) {
	gaps := l.countGaps()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.missLocked(gaps)
	l.books.settle(r, how, time.Now())
}

// LastSuccess is when the reconciler last succeeded with a request, as far as that is
// remembered.
func (l *Ledger[R]) LastSuccess(r R) (time.Time, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	last, ok := l.books.past.get(r)
	return time.Unix(0, last.at), ok
}

// Gaps has the ledger ask a source how many times it may have missed changes: a
// namespace that is not watched any more, an object that could not be read, events
// that were left out. When the count grows, no request is completely known until its
// next success.
func (l *Ledger[R]) Gaps(count func() uint64) {
	for {
		before := l.gaps.Load()
		var all []func() uint64
		if before != nil {
			all = append(all, *before...)
		}
		all = append(all, count)
		if l.gaps.CompareAndSwap(before, &all) {
			return
		}
	}
}

// Blind says that changes can't be known at all, and why: from then on no request is
// completely known.
func (l *Ledger[R]) Blind(why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.books.blind = cmp.Or(l.books.blind, why)
}

func (l *Ledger[R]) countGaps() (sum uint64) {
	if counts := l.gaps.Load(); counts != nil {
		for _, count := range *counts {
			sum += count()
		}
	}
	return sum
}

// missLocked notices that there are more gaps than before.
func (l *Ledger[R]) missLocked(gaps uint64) {
	if gaps > l.seen {
		l.seen = gaps
		l.books.miss()
	}
}

// LedgerStatus is what a Ledger holds.
type LedgerStatus struct {
	Requests   int // that have changes, or are at a worker
	Changes    int
	Remembered int    // requests whose last success is known
	Gaps       uint32 // how many times changes may have been missed
	Overflows  uint64 // how many times there was more than may be held
	Blind      string // why no request is completely known; empty if they may be
}

// Status tells what the ledger holds.
func (l *Ledger[R]) Status() LedgerStatus {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.books
	return LedgerStatus{
		Requests: len(b.accounts), Changes: b.held, Remembered: b.past.len(),
		Gaps: b.gaps, Overflows: b.overflows, Blind: b.blind,
	}
}

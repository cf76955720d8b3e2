package delta

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/pkg/diff"
)

// Ledger remembers for each request which changes it was made for, until a reconciler
// has succeeded with it.
//
//	source ── Record, Add to the queue, Landed ──▶ Ledger ── Take ──▶ Changes ──▶ reconciler
//	                                                 ▲                                │
//	                                                 └──────────── Settle ────────────┘
//
// Our builder gives each controller one. Without our builder keep to the order of the
// drawing: otherwise a worker could take a request whose change is not recorded yet. Any
// goroutine may call it. One worker at a time has a request.
type Ledger[R comparable] struct {
	facts         facts
	gaps, relists counters
	steps         stepCounts

	mu    sync.Mutex // guards everything below
	books *books[R]
}

// counters are asked for counts that only grow.
type counters struct {
	all  atomic.Pointer[[]func() uint64] // copied when one is added
	seen uint64                          // their sum when it was last looked at; guarded by Ledger.mu
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

// LedgerOptions configure a Ledger. The zero value is ready.
type LedgerOptions struct {
	LedgerLimits
	// Schemas make differences exact in lists that are maps or sets.
	Schemas diff.Schemas
	// Writes makes [Change.Own] work.
	Writes OwnWrites
	// KindOf makes [Changes.Of] work whatever objects are represented by; a scheme's
	// knowledge.
	KindOf func(Object) (schema.GroupVersionKind, error)
	// Watched has an example of each kind whose changes may be recorded. A path that can
	// exist in none of them counts as touched. Our builder sets it. It may be nil.
	Watched func() []Object
	// Log is told, once for each, of paths that can't exist. The zero Logger logs nothing.
	Log logr.Logger
	// Watches reports whether a watch of the controller shows a kind. A [Step] that depends
	// on a kind for which it is false is never skipped. Nil means that it is not known.
	Watches func(schema.GroupVersionKind) bool
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
	// Unfinished means that it has to be told again although nothing failed: the
	// reconciler waits for something, and asks to be called again or is called when
	// something happens.
	Unfinished
	// SettledAndFailed means that what was told has been dealt with, and that the attempt
	// failed afterwards.
	SettledAndFailed
)

// NewLedger returns a Ledger in which nothing is known.
func NewLedger[R comparable](opts LedgerOptions) *Ledger[R] {
	return &Ledger[R]{
		facts: facts{
			Schemas: opts.Schemas, Writes: opts.Writes, KindOf: opts.KindOf,
			Watched: opts.Watched, Watches: opts.Watches, paths: newPathChecks(opts.Log),
		},
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
	changes, _ := l.take(r)
	return changes
}

func (l *Ledger[R]) take(r R) (Changes, failedSteps) {
	gaps, relists := l.gaps.sum(), l.relists.sum()
	l.mu.Lock()
	l.missLocked(gaps, relists)
	changes, failed := l.books.take(r, time.Now())
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
	changes.facts = &l.facts
	return changes, failed
}

// Begin is Take, and puts the changes into the context that the reconciler is called
// with, where [From], [Plan], [Settle] and [Keep] find them. End has to follow.
func (l *Ledger[R]) Begin(ctx context.Context, r R) (context.Context, *Call[R]) {
	changes, failed := l.take(r)
	call := &Call[R]{ledger: l, request: r}
	call.steps.counts, call.steps.request, call.steps.before = &l.steps, call, failed
	return withCall(ctx, &inContext{changes: changes, word: &call.word, steps: &call.steps}), call
}

// Call is one call of a reconciler.
type Call[R comparable] struct {
	ledger  *Ledger[R]
	request R
	word    lastWord
	steps   callSteps
}

// Err returns the errors of the steps that failed so far. If the reconciler does not
// return it, its caller must: nobody would retry the steps otherwise.
func (c *Call[R]) Err() error { return c.steps.err() }

// End says what the call came to. What the reconciler said itself counts for more: see
// [Settle] and [Keep]. That a [Step] failed counts for most.
func (c *Call[R]) End(how Outcome) {
	c.ledger.settle(c.request, c.steps.outcome(c.word.decide(how)), c.steps.left())
}

func (c *Call[R]) requested() string { return fmt.Sprint(c.request) }

// Settle says what became of it.
func (l *Ledger[R]) Settle(r R, how Outcome) { l.settle(r, how, failedSteps{}) }

func (l *Ledger[R]) settle(r R, how Outcome, left failedSteps) {
	gaps, relists := l.gaps.sum(), l.relists.sum()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.missLocked(gaps, relists)
	l.books.settle(r, how, left, time.Now())
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
func (l *Ledger[R]) Gaps(count func() uint64) { l.gaps.add(count) }

// Relists has the ledger ask a source how many times it has listed again. What was undone
// before the list, or came and went, is known to nobody, but a reconciler may have read it
// from the server. When the count grows, each request's changes touch everything until its
// next success.
func (l *Ledger[R]) Relists(count func() uint64) { l.relists.add(count) }

// Blind says that changes can't be known at all, and why: from then on no request is
// completely known.
func (l *Ledger[R]) Blind(why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.books.blind = cmp.Or(l.books.blind, why)
}

// missLocked notices that there are more gaps or relists than before.
func (l *Ledger[R]) missLocked(gaps, relists uint64) {
	if l.gaps.grownLocked(gaps) {
		l.books.miss()
	}
	if l.relists.grownLocked(relists) {
		l.books.lists++
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

// Steps tells what has become of the controller's steps, in the order of their names. There
// are at most 101.
func (l *Ledger[R]) Steps() []StepStatus { return l.steps.all() }

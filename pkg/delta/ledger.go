package delta

import (
	"cmp"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/internal/ledger"
	"github.com/delta-runtime/delta-runtime/pkg/diff"
)

// Ledger remembers for each request which changes it was made for, until a reconciler has
// succeeded with it. Our builder gives each controller one, and builder.LedgerOf returns it.
// Any goroutine may call it.
type Ledger[R comparable] struct{ clerk clerk[R] }

// Clerk returns the side of the ledger that our own packages use.
func (l *Ledger[R]) Clerk() ledger.Clerk[R, Change, Cause, Changes] { return &l.clerk }

// Status tells what the ledger holds.
func (l *Ledger[R]) Status() LedgerStatus {
	l.clerk.mu.Lock()
	defer l.clerk.mu.Unlock()
	b := l.clerk.books
	return LedgerStatus{
		Requests: len(b.accounts), Changes: b.held, Remembered: b.past.len(),
		Gaps: b.gaps, Overflows: b.overflows, Blind: b.blind, Unsettled: b.unsettled.calls, Advice: b.unsettled.advice(time.Now()),
	}
}

// Steps tells what has become of the controller's steps, in the order of their names. There
// are at most 101.
func (l *Ledger[R]) Steps() []StepStatus { return l.clerk.steps.all() }

// LastSuccess returns when the reconciler last succeeded with a request, and whether the
// ledger remembers that.
func (l *Ledger[R]) LastSuccess(r R) (time.Time, bool) {
	l.clerk.mu.Lock()
	defer l.clerk.mu.Unlock()
	return l.clerk.lastSuccessLocked(r)
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
	// Log is told, once for each, of paths that can't exist. The zero Logger logs nothing.
	Log logr.Logger
	// IgnoreHotLoops has the controller not look for requests that are called again and again to
	// no end: because two writers undo each other's writes, or because the reconciler is called
	// for what it writes. Otherwise the log, an Event of the object and a metric say so once.
	IgnoreHotLoops bool
	// DeferHotLoops has the controller also hold such requests back: for a second at first, and
	// twice as long each round, up to five minutes. None is dropped, and one that hears that an
	// object is deleted or being deleted is not held back. When a request is held back, the queue forgets how
	// often it has failed, so its next error waits as the first one does.
	DeferHotLoops bool
	// SkipOnResync has Touches and steps go by what has changed also in a call that a resync has led
	// to. Otherwise such a call looks at everything, so that a resync heals what was skipped by mistake.
	SkipOnResync bool
	// Watches reports whether a watch of the controller shows a kind. Where it is false for
	// a kind, a [Step] that depends on the kind is never skipped. Nil means that the sources say
	// it: a watch shows the kind if a source of ours has told this ledger of the objects that are there.
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
	// Remembered is the number of requests whose last success the ledger remembers at most. That
	// tells it whether it knows everything since. It remembers half as many for sure. Zero means 262144.
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

// positive is n, or fallback where nothing could keep to a limit of n.
func positive(n, fallback int) int { return cmp.Or(max(0, n), fallback) }

// NewLedger returns a Ledger in which nothing is known.
func NewLedger[R comparable](opts LedgerOptions) *Ledger[R] {
	l := &Ledger[R]{clerk: clerk[R]{
		facts: facts{LedgerOptions: opts, paths: newPathChecks(opts.Log)},
		books: newBooks[R](opts.LedgerLimits.orDefaults()),
	}}
	l.clerk.tells = &l.clerk.facts
	return l
}

// LedgerStatus is what a Ledger holds.
type LedgerStatus struct {
	Requests   int // that have changes, or are at a worker
	Changes    int
	Remembered int    // requests whose last success is known
	Gaps       uint32 // how many times changes may have been missed
	Overflows  uint64 // how many times there was more than may be held
	Blind      string // why no request is completely known; empty if they may be
	// Unsettled is how many calls have asked for another one, and settled nothing, since the last that did.
	Unsettled uint64
	// Advice is for the author of a reconciler that makes it useless to record changes; empty for others.
	Advice string
}

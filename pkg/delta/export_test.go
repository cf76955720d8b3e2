package delta

import (
	"context"

	"github.com/delta-runtime/delta-runtime/internal/ledger"
	"github.com/delta-runtime/delta-runtime/internal/schema/path"
)

// What follows has the tests call the clerk of a ledger without a word for it.

// The outcomes, and what a stream may take for granted.
const (
	Succeeded          = ledger.Succeeded
	SucceededWithTimer = ledger.SucceededWithTimer
	Failed             = ledger.Failed
	Unfinished         = ledger.Unfinished
	SettledAndFailed   = ledger.SettledAndFailed

	ByKey     = true
	ByContent = false
)

type Outcome = ledger.Outcome

type Stream[R comparable] = ledger.Stream[R, Change]

type Delivery[R comparable] = ledger.Delivery[R]

func (l *Ledger[R]) Record(r R, c Change)           { l.clerk.Record(r, c) }
func (l *Ledger[R]) Landed(r R)                     { l.clerk.Landed(r) }
func (l *Ledger[R]) LandedLater(r R)                { l.clerk.LandedLater(r) }
func (l *Ledger[R]) NewStream(byKey bool) Stream[R] { return l.clerk.NewStream(byKey) }
func (l *Ledger[R]) Take(r R) Changes               { return l.clerk.Take(r) }
func (l *Ledger[R]) Settle(r R, how Outcome)        { l.clerk.Settle(r, how) }
func (l *Ledger[R]) Gaps(count func() uint64) {
	l.clerk.Count(func() (gaps, relists uint64) { return count(), 0 })
}
func (l *Ledger[R]) Relists(count func() uint64) {
	l.clerk.Count(func() (gaps, relists uint64) { return 0, count() })
}
func (l *Ledger[R]) Blind(why string) { l.clerk.Blind(why) }
func (l *Ledger[R]) Listed(c Change)  { l.clerk.Listed(c) }
func (l *Ledger[R]) Begin(ctx context.Context, r R) (context.Context, ledger.Call) {
	return l.clerk.Begin(ctx, r)
}

func (c Change) Once() Change { return (*clerk[int])(nil).Once(c) }

// LastWrite is what a cache reads off an object.
func LastWrite(obj Object) *Origin {
	if last := path.LastWrite(obj); last != nil {
		return originOf(last)
	}
	return nil
}

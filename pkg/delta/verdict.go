package delta

import (
	"context"
	"sync/atomic"

	"github.com/delta-runtime/delta-runtime/internal/ledger"
)

// Settle says that the reconciler has dealt with everything that it was told, whatever it
// returns. It is for those who poll: without it a result that asks for another call, by
// RequeueAfter or Requeue, has all changes told again, because the work may wait for that
// call.
//
//	if err := apply(ctx, site); err != nil {
//		return ctrl.Result{}, err
//	}
//	delta.Settle(ctx) // what changed is applied; the next call only looks again
//	return ctrl.Result{RequeueAfter: time.Minute}, nil
//
// Call it when the work is done. An error or a panic after it is retried, and what was
// told before is not told again. Where a [Step] failed, that counts for more, and everything
// is told again. Without our builder it does nothing, and with a context of NewContext's neither.
func Settle(ctx context.Context) { say(ctx, settled) }

// Keep says that the reconciler has not dealt with what it was told, although it returns
// neither an error nor a wish to be called again. All of it is told again at the next call,
// whatever that is made for. Without our builder it does nothing.
//
// Of several calls of Settle and Keep the last one counts.
func Keep(ctx context.Context) { say(ctx, kept) }

// said is what a reconciler said about the changes that it was told.
type said = int32

const (
	nothingSaid said = iota
	settled
	kept
)

// lastWord is what a reconciler says about one call, from any goroutine.
type lastWord struct{ said atomic.Int32 }

func say(ctx context.Context, what said) {
	if c := inside(ctx); c.word != nil && (what == kept || !c.part) {
		c.word.said.Store(what)
	}
}

// decide is the outcome of a call whose result is how.
func (v *lastWord) decide(how ledger.Outcome) ledger.Outcome {
	switch said := v.said.Load(); {
	case said == settled && how == ledger.Failed:
		return ledger.SettledAndFailed
	case said == settled && how == ledger.Unfinished:
		return ledger.SucceededWithTimer
	case said == kept && (how == ledger.Succeeded || how == ledger.SucceededWithTimer):
		return ledger.Unfinished
	default:
		return how
	}
}

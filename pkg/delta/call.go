package delta

import (
	"context"
	"fmt"

	"github.com/delta-runtime/delta-runtime/internal/ledger"
)

// Begin is the [ledger.Teller]'s.
func (l *clerk[R]) Begin(ctx context.Context, r R) (context.Context, ledger.Call) {
	changes, done := l.take(r)
	c := &call[R]{clerk: l, request: r}
	c.steps.counts, c.steps.request, c.steps.before = &l.steps, c, done
	return withCall(ctx, &inContext{changes: changes, word: &c.word, steps: &c.steps}), c
}

// call is one call of a reconciler.
type call[R comparable] struct {
	clerk   *clerk[R]
	request R
	word    lastWord
	steps   callSteps
}

// Err is the [ledger.Call]'s.
func (c *call[R]) Err() error { return c.steps.err() }

// End is the [ledger.Call]'s.
func (c *call[R]) End(how ledger.Outcome) {
	how = c.steps.outcome(c.word.decide(how))
	c.clerk.settle(c.request, how, c.steps.done(how))
}

func (c *call[R]) requested() string { return fmt.Sprint(c.request) }

package delta_test

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Of an object that has just been created all is known. Nothing has been done for it yet,
// so a question that leaves its creation out is not answered with "nothing to do".
func TestNothingIsRuledOutBeforeTheFirstSuccess(t *testing.T) {
	l := delta.NewLedger[string](delta.LedgerOptions{})
	begun := became(nil, at(1, 1))
	begun.Op, begun.Cause = delta.Added, delta.Primary
	ask := func() (whole, ofOthers, byOwner, step bool) {
		told := l.Take("r")
		_ = delta.Plan(delta.NewContext(t.Context(), told)).On(&corev1.Secret{}).Do("step", func(context.Context) error { step = true; return nil })
		return told.Complete(), told.Of(&corev1.Secret{}).Touches("data"), told.By(delta.Owned).Touches("data"), step
	}
	record(l, "r", begun)
	for _, how := range []delta.Outcome{delta.Unfinished, delta.Succeeded} {
		if whole, ofOthers, byOwner, step := ask(); !whole || !ofOthers || !byOwner || !step {
			t.Errorf("newborn, before it is %v: complete %t, touched %t and %t, the step ran: %t", how, whole, ofOthers, byOwner, step)
		}
		l.Settle("r", how)
	}
	update := became(at(1, 1), at(2, 2))
	update.Cause = delta.Primary
	record(l, "r", update)
	if whole, ofOthers, byOwner, step := ask(); !whole || ofOthers || byOwner || step {
		t.Errorf("updated, after a success: complete %t, touched %t and %t, the step ran: %t", whole, ofOthers, byOwner, step)
	}
}

// Nothing can have been missed of a newborn itself. Something else that would have asked
// for its request may have been.
func TestANewbornIsNotCompletelyKnownOnceChangesWereMissed(t *testing.T) {
	var gaps uint64
	l := delta.NewLedger[string](delta.LedgerOptions{})
	l.Gaps(func() uint64 { return gaps })
	begun := became(nil, at(1, 1))
	begun.Op, begun.Cause = delta.Added, delta.Primary
	ask := func(r string) bool {
		record(l, r, begun)
		defer l.Settle(r, delta.Succeeded)
		return l.Take(r).Complete()
	}
	if !ask("before") {
		t.Error("a newborn is not completely known, although nothing was missed")
	}
	gaps++ // a handler panicked at something that the next request would have been made for
	_ = ask("another")
	for _, r := range []string{"after", "before"} {
		if ask(r) {
			t.Errorf("newborn %q is completely known, although changes were missed", r)
		}
		if !ask(r) {
			t.Errorf("%q is not completely known after a success", r)
		}
	}
}

package delta_test

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Nothing has been done yet for an object that was just created, so a question that leaves its creation out is not
// answered with "nothing to do". And an earlier process may have worked for another object of its name.
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
		if whole, ofOthers, byOwner, step := ask(); whole || !ofOthers || !byOwner || !step {
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

// No request is completely known before its first success, and before the first one after changes were missed.
func TestARequestIsCompletelyKnownOnceItSucceeded(t *testing.T) {
	var gaps uint64
	l := delta.NewLedger[string](delta.LedgerOptions{})
	l.Gaps(func() uint64 { return gaps })
	begun := became(nil, at(1, 1))
	begun.Op, begun.Cause = delta.Added, delta.Primary
	for _, missed := range []string{"", "changes may have been missed"} {
		for _, r := range []string{"before", "another"} {
			for call, want := range []bool{false, true} {
				record(l, r, begun)
				told := l.Take(r)
				if told.Complete() != want || !want && !strings.Contains(told.Incomplete(), missed) {
					t.Errorf("%q, call %d (%q): complete %t: %s", r, call, missed, told.Complete(), told.Incomplete())
				}
				l.Settle(r, delta.Succeeded)
			}
		}
		gaps++ // a handler panicked at something that a request would have been made for
	}
}

package delta_test

import (
	"testing"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// A backlog that folds shows several events as one, so that what was undone in them is not
// seen. If nobody is told of that one either, the next change of the object touches all.
func TestWhatFoldedAndWasToldToNobodyIsTouched(t *testing.T) {
	l := knowing(delta.LedgerLimits{})
	s := l.NewStream(delta.ByContent)
	show := func(c delta.Change, to ...string) {
		d := s.Begin(c)
		defer d.End()
		for _, r := range to {
			d.Record(r)
			l.Landed(r)
		}
	}
	for _, version := range []int{2, 3} { // the second one is for a request that the object was for
		show(became(at(version-1, 1), at(version, 1)), "r")
		l.Take("r")
		l.Settle("r", delta.Succeeded)
	}
	folded := became(at(3, 1), at(5, 1)) // which had two replicas at version 4
	folded.Deltas = 2
	show(folded)
	show(became(at(5, 1), at(6, 1)), "r")
	if got := l.Take("r"); !got.Complete() || !got.Touches("spec.replicas") {
		t.Errorf("complete %t, and replicas that were changed and changed back are not touched by %s", got.Complete(), got)
	}
}

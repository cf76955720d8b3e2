package journal

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/delta-runtime/delta-runtime/internal/ledger"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// TestWhatIsNewStandsFirst has a call fail, and the next one be told of it again and of something else.
func TestWhatIsNewStandsFirst(t *testing.T) {
	clerk := delta.NewLedger[string](delta.LedgerOptions{}).Clerk()
	record := func(name string) {
		pod := &corev1.Pod{}
		pod.Name, pod.ResourceVersion = name, "1"
		clerk.Record("request", delta.Change{Cause: delta.Owned, Key: delta.Key{Name: name}, Op: delta.Added, New: pod, Deltas: 1})
		clerk.Landed("request")
	}
	told := func() (all []string) {
		for _, c := range NewFirst(clerk.Take("request")) {
			word := c.Cause.String() + " " + c.Key.Name
			if Again(&c) {
				word += " again"
			}
			all = append(all, word)
		}
		return all
	}
	record("old")
	if got := told(); !slices.Equal(got, []string{"Owned old"}) {
		t.Errorf("the first call is told %q", got)
	}
	clerk.Settle("request", ledger.Failed)
	record("new")
	if got := told(); !slices.Equal(got, []string{"Retry ", "Owned new", "Owned old again"}) {
		t.Errorf("the second call is told %q", got)
	}
}

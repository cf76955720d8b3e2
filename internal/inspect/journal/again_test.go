package journal

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/internal/ledger"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// TestWhatIsNewStandsFirst has a call fail, and the next one be told of it again and of something else.
func TestWhatIsNewStandsFirst(t *testing.T) {
	clerk := delta.NewLedger[string](delta.LedgerOptions{}).Clerk()
	record := func(pod *corev1.Pod, change delta.Change) {
		change.Key, change.New = delta.Key{Name: pod.Name}, pod
		clerk.Record("request", change)
		clerk.Landed("request")
	}
	pod := func(name string) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, ResourceVersion: "1"}}
	}
	first, second := pod("old"), pod("new")
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
	record(first, delta.Change{Cause: delta.Owned, Op: delta.Added, Deltas: 1})
	if got := told(); !slices.Equal(got, []string{"Owned old"}) {
		t.Errorf("the first call is told %q", got)
	}
	clerk.Settle("request", ledger.Failed)
	record(second, delta.Change{Cause: delta.Owned, Op: delta.Added, Deltas: 1})
	if got := told(); !slices.Equal(got, []string{"Retry ", "Owned new", "Owned old again"}) {
		t.Errorf("the second call is told %q", got)
	}
	clerk.Settle("request", ledger.Failed)
	record(second, delta.Change{Cause: delta.Resync, Op: delta.Sync, Old: second}) // which is why the request is there
	if got := told(); !slices.Equal(got, []string{"Retry ", "Owned new", "Owned old again"}) {
		t.Errorf("the third call is told %q", got)
	}
}

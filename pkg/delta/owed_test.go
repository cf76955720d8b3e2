package delta_test

import (
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/ledger"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// TestEachArrivalIsExplained has a request reach its reconciler as often as a queue may have it when its account is closed: it waits
// there, was added once more meanwhile, and has a timer. Nobody but our own sources has added it, so no call may be told otherwise.
func TestEachArrivalIsExplained(t *testing.T) {
	for how, of := range map[string]struct {
		closed func(clerk *clerkOf)
		more   int // arrivals
	}{
		"it succeeds with a timer, and has been added once more": {func(clerk *clerkOf) {
			clerk.add("a")
			clerk.add("a")
			clerk.Take("a")
			clerk.Settle("a", ledger.SucceededWithTimer)
		}, 2},
		"it fails, and goes for the sake of another": {func(clerk *clerkOf) {
			clerk.add("a")
			clerk.Take("a")
			clerk.Settle("a", ledger.Failed)
			clerk.add("b")
		}, 3},
		"there is no room for it": {func(clerk *clerkOf) {
			clerk.add("b")
			clerk.Take("b")
			clerk.add("a")
			clerk.Settle("b", ledger.Succeeded)
		}, 3},
	} {
		t.Run(how, func(t *testing.T) {
			l := delta.NewLedger[string](delta.LedgerOptions{LedgerLimits: delta.LedgerLimits{Requests: 1}})
			clerk := &clerkOf{l.Clerk()}
			of.closed(clerk)
			clerk.Take("b")
			clerk.Settle("b", ledger.Succeeded)
			for n := range of.more {
				told := clerk.Take("a")
				if why := told.Incomplete(); n > 0 && why != "" || !told.Has(delta.Timer) {
					t.Errorf("arrival %d is told %v, which is incomplete because %q", n+1, told, why)
				}
				clerk.Settle("a", ledger.Succeeded)
			}
		})
	}
}

type clerkOf struct {
	ledger.Clerk[string, delta.Change, delta.Cause, delta.Changes]
}

func (c *clerkOf) add(r string) {
	c.Record(r, delta.Change{Cause: delta.External})
	c.Landed(r)
}

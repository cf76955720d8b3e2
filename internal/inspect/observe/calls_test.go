package observe

import (
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/delta-runtime/delta-runtime/internal/inspect/journal"
	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// TestCalls compares the counts with a list of all calls.
func TestCalls(t *testing.T) {
	seeds.Run(t, 100, func(t *testing.T, rng *rand.Rand) {
		clerk := delta.NewLedger[string](delta.LedgerOptions{}).Clerk()
		var calls Calls
		want := CallCounts{Results: map[journal.Result]uint64{}, Causes: map[delta.Cause]uint64{}, Lacking: map[string]uint64{}}
		seen := uint64(0)
		now := time.Now()
		for range rng.IntN(50) {
			had := map[delta.Cause]bool{}
			var list []delta.Change
			for range rng.IntN(4) {
				c := delta.Change{Cause: delta.Cause(1 + rng.IntN(10)), First: now.Add(-time.Duration(rng.IntN(1000)))}
				list, had[c.Cause] = append(list, c), true
				if c.Cause == delta.Primary || c.Cause == delta.Owned || c.Cause == delta.Mapped {
					seen++
				}
			}
			told := delta.NewChanges(list...)
			if rng.IntN(3) == 0 {
				told = told.Assume(delta.Circumstances{Lacking: "a test says so"})
				want.Lacking["Other"]++
			}
			how := journal.Result(1 + rng.IntN(4))
			calls.Note(clerk, Call{told, now, how})
			want.Results[how]++
			want.Changes += uint64(len(list))
			for cause := range had {
				want.Causes[cause]++
			}
		}
		got := calls.Read()
		maps.DeleteFunc(got.Results, func(_ journal.Result, n uint64) bool { return n == 0 })
		if !maps.Equal(got.Results, want.Results) || !maps.Equal(got.Causes, want.Causes) || !maps.Equal(got.Lacking, want.Lacking) ||
			got.Changes != want.Changes || got.Own != 0 {
			t.Fatalf("counted %+v, want %+v", got, want)
		}
		if got.Latency.Count() != seen {
			t.Fatalf("%d latencies, want %d", got.Latency.Count(), seen)
		}
	})
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

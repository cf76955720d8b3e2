package answers

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/internal/inspect/journal"
	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/queue"
)

// TestPast lets controllers work for a random time, begin and end, and compares the samples with a list of all that they did.
func TestPast(t *testing.T) {
	clerk := delta.NewLedger[string](delta.LedgerOptions{}).Clerk()
	seeds.Run(t, 30, func(t *testing.T, rng *rand.Rand) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var mu sync.Mutex // guards queued and running, which the sampler reads
			queued := map[string]int{}
			begin := func(name string) *observe.Controller {
				return &observe.Controller{Name: name, Calls: &observe.Calls{}, Queue: func() (queue.Stats, bool) {
					mu.Lock()
					defer mu.Unlock()
					return queue.Stats{Depth: map[int]int{0: queued[name]}, DepthBelow: 1}, name != "c"
				}}
			}
			all := []*observe.Controller{begin("a"), begin("b"), begin("c")}
			var running []*observe.Controller
			var o Operator
			go o.past.run(ctx, func() []*observe.Controller {
				mu.Lock()
				defer mu.Unlock()
				return running
			})
			want := map[string][]sample{}
			for range rng.IntN(2 * mostSamples) {
				mu.Lock()
				running = slices.Clone(all[:1+rng.IntN(len(all))])
				now := map[string]sample{"": {}}
				for i, c := range all {
					if !slices.Contains(running, c) {
						want[c.Name], all[i] = nil, begin(c.Name) // which begins later
						continue
					}
					var s sample
					for range rng.IntN(4) {
						call := observe.Call{Told: delta.NewChanges(make([]delta.Change, rng.IntN(3))...), Began: time.Now(), Came: journal.Result(1 + rng.IntN(4))}
						c.Calls.Note(clerk, call)
						s.calls++
						s.changes += uint64(call.Told.Len())
						if call.Came == journal.Error || call.Came == journal.Panic {
							s.errors++
						}
					}
					if queued[c.Name] = rng.IntN(5); c.Name != "c" {
						s.queued = queued[c.Name] + 1
					}
					now[c.Name], now[""] = s, now[""].plus(s)
				}
				for name, s := range now {
					want[name] = append(want[name], s)
				}
				mu.Unlock()
				time.Sleep(sampleEvery)
				synctest.Wait()
			}
			for name, samples := range want {
				got := o.Past(name)
				samples = samples[max(0, len(samples)-mostSamples):]
				if len(got.Calls) != len(samples) || len(got.P99Seconds) != len(samples) {
					t.Fatalf("%d samples of %q, want %d", len(got.Calls), name, len(samples))
				}
				for i, s := range samples {
					if (sample{got.Calls[i], got.Errors[i], got.Changes[i], got.Queued[i], 0}) != s {
						t.Fatalf("sample %d of %q is %d, %d, %d, %d, want %+v", i, name, got.Calls[i], got.Errors[i], got.Changes[i], got.Queued[i], s)
					}
				}
			}
		})
	})
}

// TestPercentile compares the guess with the numbers themselves. A bucket ends at most at 2.5 times of where it begins.
func TestPercentile(t *testing.T) {
	seeds.Run(t, 500, func(t *testing.T, rng *rand.Rand) {
		var h reflector.Histogram
		var all []uint64
		for range rng.IntN(400) {
			n := rng.Uint64N(1 << rng.IntN(39))
			h.Observe(time.Duration(n))
			all = append(all, n)
		}
		r := h.Read()
		got := uint64(percentile(&r))
		if len(all) == 0 {
			if got != 0 {
				t.Fatalf("%d of nothing", got)
			}
			return
		}
		slices.Sort(all)
		if want := all[len(all)-len(all)/100-1]; 2*got > 5*want+2000 || 2*want > 5*got+2000 {
			t.Fatalf("about %d, and it is %d", got, want)
		}
	})
}

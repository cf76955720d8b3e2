package timetable

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

var epoch = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

func someKeys(n int) []delta.Key {
	keys := make([]delta.Key, n)
	for i := range keys {
		keys[i] = delta.Key{Name: fmt.Sprint(i)}
	}
	return keys
}

// One that has caught up when the others have waited long enough, and is late again, has used up their patience.
func TestPatienceIsCountedInAll(t *testing.T) {
	r, now := New(nil), epoch
	for number := range uint32(2) {
		r.set(number+1, resync.Policy{Period: time.Minute}, now)
	}
	now = now.Add(time.Minute)
	for _, tick := range r.Due(now) {
		r.Begin(tick, someKeys(1000), now)
	}
	next := func(late uint64) bool {
		_, ok := r.Next(now, func(number uint32) uint64 { return late * uint64(number-1) })
		return ok
	}
	if next(Chunk + 1) {
		t.Error("nobody waits for the one that is late")
	}
	now = now.Add(Patience)
	if !next(0) {
		t.Error("all are ready, and are shown nothing")
	}
	if !next(Chunk + 1) {
		t.Errorf("after %v the one that keeps up is held back for longer", Patience)
	}
}

// A demand that has not ended does not keep a period from beginning, nor the other way
// round.
func TestDemandsAndPeriodsDoNotWaitForEachOther(t *testing.T) {
	r, now := New(nil), epoch
	r.set(1, resync.Policy{Period: time.Minute}, now)
	begin := func() (demands, ticks int) {
		for _, tick := range r.Due(now) {
			if tick.demand {
				demands++
			} else {
				ticks++
			}
			r.Begin(tick, someKeys(10), now)
		}
		return demands, ticks
	}
	for range 2 * MaxRuns {
		r.Trigger(nil)
		r.Trigger(nil)
		begin()
	}
	if got := r.demanded(1); got != MaxRuns {
		t.Errorf("%d runs on demand, want %d", got, MaxRuns)
	}
	for n := range 2 * MaxRuns {
		now = now.Add(time.Minute)
		if demands, ticks := begin(); demands != 0 || (ticks == 1) != (n < MaxRuns) {
			t.Errorf("minute %d: %d demands and %d ticks begin", n, demands, ticks)
		}
	}
	if s := r.Status(now); s.Runs != 2*MaxRuns || s.Left != 2*MaxRuns*10 || s.Waiting != 1 || s.Skipped != MaxRuns || !s.Next.Equal(now.Add(time.Minute)) {
		t.Errorf("status: %+v", s)
	}
	for len(r.runs) > 0 {
		r.Next(now, func(uint32) uint64 { return 0 })
		if !r.ended {
			continue
		}
		begin()
	}
	if s := r.Status(now); s.Waiting != 0 {
		t.Errorf("when all have ended, %d still wait", s.Waiting)
	}
}

// More different things cannot be wanted than there is room for: then it is all.
func TestManyDemandsAreOneOfEverything(t *testing.T) {
	l := &resyncing{}
	for n := range 2 * resyncDemands {
		l.want(labels.SelectorFromSet(labels.Set{"n": fmt.Sprint(n / 2)}))
		if want := n/2 + 1; n/2 < resyncDemands && len(l.wanted) != want {
			t.Fatalf("%d things are wanted, want %d", len(l.wanted), want)
		}
	}
	l.want(labels.SelectorFromSet(labels.Set{"n": "one more"}))
	if len(l.wanted) != 1 || l.wanted[0] != nil {
		t.Errorf("wanted is %v, want everything", l.wanted)
	}
}

// Each run of a spread resync lasts until the subscriber's next tick, however far jitter moves that. So one that keeps up
// misses no tick, and is shown each object again within the longest period.
func TestASpreadResyncLastsUntilTheNextTick(t *testing.T) {
	for _, jitter := range []float64{0, 0.1, 0.5, 0.8, 1} {
		t.Run(fmt.Sprint(jitter), func(t *testing.T) {
			const period, step = 10 * time.Second, 10 * time.Millisecond
			r, now := New(rand.New(rand.NewPCG(1, 2))), epoch
			keepsUp := func(uint32) uint64 { return 0 }
			r.set(1, resync.Policy{Period: period, Jitter: jitter, Spread: resync.OverPeriod}, now)
			last, longest := map[delta.Key]time.Time{}, time.Duration(0)
			for range 100_000 {
				now = now.Add(step)
				for _, tick := range r.Due(now) {
					r.Begin(tick, tick.Arrange(someKeys(20)), now)
				}
				for batch, ok := r.Next(now, keepsUp); ok; batch, ok = r.Next(now, keepsUp) {
					for _, key := range batch.Keys {
						if at, before := last[key]; before {
							longest = max(longest, now.Sub(at))
						}
						last[key] = now
					}
				}
			}
			limit := time.Duration(float64(period)*(1+jitter)) + period/100
			if n := r.Status(now).Skipped; n > 0 || longest > limit || longest == 0 {
				t.Errorf("%d ticks were skipped; an object was not shown for %v, and the longest period is %v", n, longest, limit)
			}
		})
	}
}

func TestJitterStaysWithinItsFraction(t *testing.T) {
	r := New(rand.New(rand.NewPCG(1, 2)))
	now := epoch
	r.set(1, resync.Policy{Period: 10 * time.Second, Jitter: 0.1}, now)
	distinct := map[time.Duration]bool{}
	for range 100 {
		next := r.Wake(now)
		gap := next.Sub(now)
		if gap < 9*time.Second || gap > 11*time.Second {
			t.Fatalf("a period of %v, want 10s ± 10 %%", gap)
		}
		distinct[gap] = true
		now = next
		if len(r.Due(now)) != 1 {
			t.Fatal("not due when it said it would be")
		}
	}
	if len(distinct) < 50 {
		t.Errorf("only %d different periods in 100", len(distinct))
	}
}

func TestPolicyOr(t *testing.T) {
	got := Or(resync.Policy{Period: resync.Never, Rate: 5}, resync.Policy{Period: time.Hour, Spread: resync.OverPeriod, Rate: 9, OnlyIfNotReconciledFor: time.Minute})
	if got.Period != resync.Never || got.Spread != resync.OverPeriod || got.Rate != 5 || got.OnlyIfNotReconciledFor != time.Minute {
		t.Errorf("got %+v", got)
	}
}

// set adds a subscriber or changes its policy. A new period counts from the
// subscriber's last tick.
func (r *Timetable) set(subscriber uint32, policy resync.Policy, now time.Time) {
	r.SetAll(subscriber, []resync.Policy{policy}, now)
}

// Whatever a policy says, resyncs do not come more than ten times a second.
func TestNoPeriodIsTooShort(t *testing.T) {
	for _, policy := range []resync.Policy{
		{Period: 1}, {Period: time.Millisecond, Spread: resync.OverPeriod}, {Period: minPeriod, Jitter: 1}, {Period: 1, Jitter: 0.5},
	} {
		r := New(rand.New(rand.NewPCG(1, 2)))
		now := epoch
		r.set(1, policy, now)
		ticks := 0
		for r.Wake(now).Sub(epoch) <= time.Minute && ticks <= 600 {
			now = r.Wake(now)
			ticks += len(r.Due(now))
		}
		if ticks > 600 || ticks < 300 {
			t.Errorf("by %+v there are %d resyncs a minute", policy, ticks)
		}
	}
}

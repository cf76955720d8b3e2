package timetable

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// A resync that is so slow or so late that its time is more than can be counted comes late,
// and not at once.
func TestWhatIsBeyondCountingComesLate(t *testing.T) {
	const never = math.MaxInt64 * time.Nanosecond
	now, century := epoch, epoch.AddDate(100, 0, 0)

	for seed := range uint64(100) {
		r := New(rand.New(rand.NewPCG(seed, 0)))
		r.set(1, resync.Policy{Period: never, Jitter: 1}, now)
		r.set(2, resync.Policy{Period: never - time.Hour, Jitter: 0.5}, now)
		if ticks := r.Due(now.Add(time.Hour)); len(ticks) > 0 {
			t.Fatalf("seed %d: due after an hour are %+v", seed, ticks)
		}
	}

	r := New(nil)
	r.set(1, resync.Policy{Period: time.Minute, Rate: 1e-300}, now)
	for _, tick := range r.Due(now.Add(time.Minute)) {
		r.Begin(tick, someKeys(2), now.Add(time.Minute))
	}
	shown := 0
	for at := now.Add(time.Minute); at.Before(century) && shown < 3; at = at.Add(30 * 24 * time.Hour) {
		batch, _ := r.Next(at, func(uint32) uint64 { return 0 })
		shown += len(batch.Keys)
	}
	if shown != 1 {
		t.Errorf("%d objects were shown in a century", shown)
	}

	run := &resyncRun{Tick: Tick{Policy: resync.Policy{Period: never}, until: now.Add(never)}, keys: someKeys(1)}
	for phase(run.keys[0], never) < never-never/1000 {
		run.keys[0].Name += "x" // until its turn is the last of the period
	}
	if run.fit(now); run.span < never/2 {
		t.Errorf("what is left of a period without end is laid out over %v", run.span)
	}
}

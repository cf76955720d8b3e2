package answers

import (
	"context"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/internal/inspect/journal"
	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// A quarter of an hour in samples.
const (
	sampleEvery = 10 * time.Second
	mostSamples = 90
)

// sample is how much was done since the one before.
type sample struct {
	calls, errors, changes uint64
	queued                 int
	p99                    time.Duration
}

// plus is both together, with the longer of the two times.
func (s sample) plus(t sample) sample {
	return sample{s.calls + t.calls, s.errors + t.errors, s.changes + t.changes, s.queued + t.queued, max(s.p99, t.p99)}
}

// past has the last samples. The zero value is empty.
type past struct {
	mu     lock.Mutex[lock.Past] // guards everything below
	last   time.Time
	series map[string][]sample // by controller; the empty name is all together. The oldest is first.
}

// run takes samples until ctx ends.
func (p *past) run(ctx context.Context, running func() []*observe.Controller) {
	ticker := time.NewTicker(sampleEvery)
	defer ticker.Stop()
	before := map[*observe.Controller]observe.CallCounts{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			var now map[string]sample
			now, before = takeSample(running(), before)
			p.add(time.Now(), now)
		}
	}
}

// takeSample reads all controllers, and returns by name how much each has done since the totals before.
func takeSample(running []*observe.Controller, before map[*observe.Controller]observe.CallCounts) (now map[string]sample, totals map[*observe.Controller]observe.CallCounts) {
	now, totals = map[string]sample{}, map[*observe.Controller]observe.CallCounts{}
	var waited reflector.Reading // of all
	for _, c := range running {
		is, was := c.Calls.Read(), before[c]
		totals[c] = is
		its := is.Latency.Beyond(&was.Latency)
		waited.Add(&its)
		s := sample{changes: is.Changes - was.Changes, p99: percentile(&its)}
		for how, n := range is.Results {
			n -= was.Results[how]
			if s.calls += n; how > journal.Requeue {
				s.errors += n
			}
		}
		if stats, ours := c.Queue(); ours {
			s.queued = ready(&stats)
		}
		now[c.Name], now[""] = now[c.Name].plus(s), now[""].plus(s)
	}
	all := now[""]
	all.p99 = percentile(&waited)
	now[""] = all
	return now, totals
}

// percentile is about the time within which 99 of 100 were. Between the bounds of a bucket it guesses.
func percentile(r *reflector.Reading) time.Duration {
	n := r.Count()
	rank := n - n/100
	for i, count := range r.Counts {
		if rank > count {
			rank -= count
			continue
		}
		if count == 0 {
			break
		}
		var low time.Duration
		if i > 0 {
			low = reflector.UpperBound(i - 1)
		}
		return low + time.Duration(float64(reflector.UpperBound(i)-low)*float64(rank)/float64(count))
	}
	return 0
}

// add appends a sample to each series. One of a controller that has ended goes.
func (p *past) add(at time.Time, now map[string]sample) {
	p.mu.Lock()
	defer p.mu.Unlock()
	series := map[string][]sample{}
	for name, s := range now {
		all := p.series[name]
		if all = append(all, s); len(all) > 2*mostSamples {
			all = append([]sample(nil), all[mostSamples:]...)
		}
		series[name] = all
	}
	p.last, p.series = at, series
}

// Past is the [inspector.Subject]'s.
func (o *Operator) Past(controller string) v1.Past {
	p := &o.past
	p.mu.Lock()
	defer p.mu.Unlock()
	shown := v1.Past{Controller: controller, EverySeconds: sampleEvery.Seconds(), LastAt: p.last}
	all := p.series[controller]
	for _, s := range all[max(0, len(all)-mostSamples):] {
		shown.Calls, shown.Errors, shown.Changes = append(shown.Calls, s.calls), append(shown.Errors, s.errors), append(shown.Changes, s.changes)
		shown.Queued, shown.P99Seconds = append(shown.Queued, s.queued), append(shown.P99Seconds, s.p99.Seconds())
	}
	return shown
}

package timetable

import (
	"time"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// resyncRun is one walk over the keys.
type resyncRun struct {
	Tick
	keys   []delta.Key   // not yet handed out, in order; shared with runs split off
	origin *delta.Origin // of its Syncs
	start  time.Time     // if it is spread: when the phase of zero is,
	span   time.Duration // and how long after it that of one
	after  time.Time     // not before

	waited    time.Duration // how long some have waited for others
	dividedAt time.Time     // since when they do; zero if they don't
	wake      time.Time     // when to look again; zero: when a subscriber has caught up
}

// ready returns how many keys can be handed out now; if none, it sets wake.
func (run *resyncRun) ready(now time.Time) int {
	run.wake = time.Time{}
	if run.after.After(now) {
		run.wake = run.after
		return 0
	}
	n := min(len(run.keys), Chunk)
	if rate := run.Policy.Rate; rate > 0 {
		n = min(n, max(1, int(rate/10))) // tenths of a second, so that a slow rate is even
	}
	if run.Policy.Spread != resync.OverPeriod {
		return n
	}
	for i, key := range run.keys[:n] {
		if at := run.start.Add(phase(key, run.span)); at.After(now) {
			if i == 0 {
				run.wake = at
			}
			return i
		}
	}
	return n
}

// hand takes off the first n keys and says when the next may follow.
func (run *resyncRun) hand(n int, now time.Time) {
	run.keys = run.keys[n:]
	if rate := run.Policy.Rate; rate > 0 {
		took := durationOf(float64(n) / rate * float64(time.Second))
		// A run that is late by less than that makes up for it. Otherwise timers that are a
		// little late each time would add up to a much lower rate.
		if now.Sub(run.after) < took {
			now = run.after
		}
		run.after = now.Add(took)
		return
	}
	if run.Policy.Spread == resync.OverPeriod && n < Chunk {
		// Nothing more is due. Waking for each key on its own would be exact to no
		// purpose: a thousandth of the period is.
		run.after = now.Add(min(max(run.span/1000, time.Millisecond), time.Second))
	}
}

// fit lays out what the run has from now to the end of its tick, keeping the keys'
// order and distances.
func (run *resyncRun) fit(now time.Time) {
	const finest = 1e-3 // of a period; what is left of it may be less
	period := run.Policy.Period
	gone := min(float64(phase(run.keys[0], period))/float64(period), 1-finest)
	run.span = durationOf(float64(run.until.Sub(now)) / (1 - gone))
	run.start = now.Add(-time.Duration(gone * float64(run.span)))
}

// keepsUp reports whether the run's subscribers are ready for more. It splits those
// off that have tried the others' patience.
func (r *Timetable) keepsUp(run *resyncRun, now time.Time, lag func(uint32) uint64) bool {
	var ready, late Audience
	for _, member := range run.To.Members {
		if lag(member) <= Chunk {
			ready.Members = append(ready.Members, member)
		} else {
			late.Members = append(late.Members, member)
		}
	}
	if !run.dividedAt.IsZero() {
		run.waited += now.Sub(run.dividedAt)
		run.dividedAt = time.Time{}
	}
	if len(ready.Members) == 0 || len(late.Members) == 0 {
		return len(late.Members) == 0
	}
	run.dividedAt = now
	if run.waited < Patience {
		run.wake = now.Add(Patience - run.waited)
		return false
	}
	rest := *run
	rest.To, rest.waited, rest.dividedAt = &late, 0, time.Time{}
	r.runs = append(r.runs, &rest)
	run.To, run.waited, run.dividedAt = &ready, 0, time.Time{}
	return true
}

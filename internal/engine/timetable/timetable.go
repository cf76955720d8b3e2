package timetable

import (
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// Timetable decides which objects are shown again, to which subscribers, and when.
type Timetable struct {
	rng         *rand.Rand
	subscribers map[uint32]*resyncing
	runs        []*resyncRun // in the order of their turns
	ended       bool         // a run has ended since due was asked
	shown       uint64       // keys that were handed out
	skipped     uint64       // ticks that were not begun because earlier runs had not ended
}

const (
	// Chunk is how many Syncs are pending at most.
	Chunk = 64
	// Patience is how long, in all, a run holds back those of its subscribers
	// that keep up for the sake of those that don't.
	Patience = 100 * time.Millisecond
	// MaxRuns is how many unfinished runs a subscriber may have, of those by a policy and of those on demand. While
	// it has, its ticks are skipped and its demands wait, so that one that sleeps does not find a heap of resyncs.
	MaxRuns = 2
)

// Tick says that subscribers are due, and what policy makes them due.
type Tick struct {
	To     *Audience
	Policy resync.Policy
	demand bool // somebody wants it now

	// rest is for a policy that has changed in the middle of a run: only these keys
	// are still to be shown. Nil is all.
	rest []delta.Key
	// until is the next tick, when a run that is spread ends.
	until time.Time
}

// Batch has the objects to show next, and who is shown them.
type Batch struct {
	Tick
	Keys   []delta.Key
	Origin *delta.Origin
}

// New returns a timetable without subscribers. rng is for jitter; nil is for tests whose
// policies have none.
func New(rng *rand.Rand) *Timetable {
	return &Timetable{rng: rng, subscribers: map[uint32]*resyncing{}}
}

// Remove forgets a subscriber.
func (r *Timetable) Remove(subscriber uint32) {
	delete(r.subscribers, subscriber)
	r.withdraw(subscriber, func(*resyncRun) bool { return true })
}

// Trigger makes all subscribers due now for what the selector chooses, whatever their
// policies say; their next ticks stay where they are.
func (r *Timetable) Trigger(selector labels.Selector) {
	for _, l := range r.subscribers {
		l.want(selector)
	}
}

// Takers returns who is resynced by a period, which says that they want to
// see objects that did not change.
func (r *Timetable) Takers() *Audience {
	to := &Audience{}
	for _, number := range slices.Sorted(maps.Keys(r.subscribers)) {
		if r.subscribers[number].periodic() {
			to.Members = append(to.Members, number)
		}
	}
	return to
}

// withdraw takes a subscriber out of some of its runs, and returns what they had yet
// to show to it. A key may be there twice.
func (r *Timetable) withdraw(subscriber uint32, from func(*resyncRun) bool) (rest []delta.Key) {
	r.runs = slices.DeleteFunc(r.runs, func(run *resyncRun) bool {
		if !run.To.Has(subscriber) || !from(run) {
			return false
		}
		rest = addRest(rest, run.keys)
		run.To = run.To.without(subscriber)
		return len(run.To.Members) == 0
	})
	return rest
}

func (r *Timetable) jittered(p resync.Policy) time.Duration {
	if p.Jitter == 0 {
		return p.Period
	}
	return max(durationOf(float64(p.Period)*(1+p.Jitter*(2*r.rng.Float64()-1))), minPeriod)
}

// Due returns who is due now, those who can be shown the same together.
func (r *Timetable) Due(now time.Time) []Tick {
	r.ended = false
	var ticks []Tick
	for _, number := range slices.Sorted(maps.Keys(r.subscribers)) {
		first := r.subscribers[number]
		for room := MaxRuns - r.demanded(number); room > 0 && len(first.wanted) > 0; room-- {
			ticks = addTick(ticks, number, Tick{demand: true, Policy: first.onDemand(first.wanted[0])})
			first.wanted = first.wanted[1:]
		}
		for l := first; l != nil; l = l.more {
			if tick, due := r.dueBy(l, number, now); due {
				ticks = addTick(ticks, number, tick)
			}
		}
	}
	return ticks
}

// dueBy is due for one subscriber and policy.
func (r *Timetable) dueBy(l *resyncing, number uint32, now time.Time) (Tick, bool) {
	rest := l.rest
	l.rest = nil
	if !l.next.IsZero() && !l.next.After(now) {
		r.advance(l, now)
		if r.unfinished(number, l.policy) >= MaxRuns {
			r.skipped++
			return Tick{}, false
		}
		return Tick{Policy: l.policy, until: l.next}, true // which shows the rest, too
	}
	return Tick{Policy: l.policy, rest: rest, until: l.next}, rest != nil
}

// advance sets the next tick. It keeps the rhythm, and leaves out what has been
// missed.
func (r *Timetable) advance(l *resyncing, now time.Time) {
	l.last = l.next.Add(now.Sub(l.next).Truncate(l.policy.Period))
	if l.next = l.last.Add(r.jittered(l.policy)); !l.next.After(now) {
		l.next = l.last.Add(l.policy.Period)
	}
}

func addTick(ticks []Tick, number uint32, tick Tick) []Tick {
	tick.To = &Audience{Members: []uint32{number}}
	for i := range ticks {
		other := &ticks[i]
		if other.demand == tick.demand && sameRest(other.rest, tick.rest) && sharesRun(other.Policy, tick.Policy) {
			other.To = other.To.Union(tick.To)
			if tick.until.Before(other.until) {
				other.until = tick.until
			}
			return ticks
		}
	}
	return append(ticks, tick)
}

// sameRest reports whether two subscribers have left the same run at the same moment.
func sameRest(a, b []delta.Key) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// unfinished is how many runs for the policy's namespaces the subscriber is in.
func (r *Timetable) unfinished(subscriber uint32, policy resync.Policy) int {
	return r.count(func(run *resyncRun) bool {
		return !run.demand && run.To.Has(subscriber) && sameNamespaces(run.Policy, policy)
	})
}

// demanded is how many runs on demand the subscriber is in.
func (r *Timetable) demanded(subscriber uint32) int {
	return r.count(func(run *resyncRun) bool { return run.demand && run.To.Has(subscriber) })
}

func (r *Timetable) count(counts func(*resyncRun) bool) (n int) {
	for _, run := range r.runs {
		if counts(run) {
			n++
		}
	}
	return n
}

// Begin starts the run of a tick over keys, which belong to it from now on and
// have been put in order by [Tick.Arrange].
func (r *Timetable) Begin(tick Tick, keys []delta.Key, now time.Time) {
	for _, member := range tick.To.Members {
		if !r.stillDue(member, &tick, keys) {
			tick.To = tick.To.without(member)
		}
	}
	if len(keys) == 0 || len(tick.To.Members) == 0 {
		return
	}
	run := &resyncRun{Tick: tick, keys: keys, start: now, span: max(tick.until.Sub(now), 0)}
	if tick.rest != nil && tick.Policy.Spread == resync.OverPeriod {
		run.fit(now)
	}
	tick.rest = nil // it is in keys
	run.origin = &delta.Origin{Resync: &delta.ResyncTerms{
		OnDemand: tick.demand, AsUpdate: tick.Policy.AsUpdate,
		OnlyIfNotReconciledFor: tick.Policy.OnlyIfNotReconciledFor,
	}}
	r.runs = append(r.runs, run)
}

// Next returns the next chunk, if there is one to show now. It is asked when the one before has been published. lag
// tells how many events a subscriber has yet to be told.
func (r *Timetable) Next(now time.Time, lag func(uint32) uint64) (Batch, bool) {
	for i, run := range r.runs {
		n := run.ready(now)
		if n == 0 || !r.keepsUp(run, now, lag) {
			continue
		}
		batch := Batch{run.Tick, run.keys[:n:n], run.origin}
		run.hand(n, now)
		r.shown += uint64(n)
		r.runs = slices.Delete(r.runs, i, i+1)
		if len(run.keys) > 0 {
			r.runs = append(r.runs, run) // the others' turn
		} else {
			r.ended = true
		}
		return batch, true
	}
	return Batch{}, false
}

// Idle reports whether there is nothing to hand out.
func (r *Timetable) Idle() bool { return len(r.runs) == 0 }

// HasEnded reports whether a run has ended since due was asked.
func (r *Timetable) HasEnded() bool { return r.ended }

// Wake is the first moment after now at which due or next may have something to say; zero is never. A subscriber that
// catches up and a chunk that drains are other reasons to ask.
func (r *Timetable) Wake(now time.Time) time.Time {
	var first time.Time
	for _, l := range r.subscribers {
		for ; l != nil; l = l.more {
			first = earlier(first, l.next, now)
		}
	}
	for _, run := range r.runs {
		first = earlier(first, run.wake, now)
	}
	return first
}

// Overdue reports whether a run that waited for its moment has seen it pass.
func (r *Timetable) Overdue(now time.Time) bool {
	return slices.ContainsFunc(r.runs, func(run *resyncRun) bool {
		return !run.wake.IsZero() && !run.wake.After(now)
	})
}

// earlier returns the first of a and b; b counts only if it is after now.
func earlier(a, b, now time.Time) time.Time {
	if b.After(now) && (a.IsZero() || b.Before(a)) {
		return b
	}
	return a
}

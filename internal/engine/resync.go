package engine

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// timetable decides which objects are shown again, to whom, and when. It has no
// lock, no goroutine and no clock: what it needs to know it is told.
//
//	set, trigger ──▶ due ──▶ tick ──keys──▶ begin ──▶ run ──▶ next ──▶ chunk
//	                                                   ▲                 │
//	                                                   └── drained ◀─────┘
//
// A tick is that some listeners are due. The caller gathers the keys, and begin
// makes a run of both, which next hands out in chunks of at most resyncChunk
// keys, one at a time: only when a chunk has drained and the run's listeners have
// kept up is there another. So a live event waits for one chunk at most,
// never for a resync. A listener that does not keep up gets a run of its own that
// waits for it, and the others go on.
type timetable struct {
	rng       *rand.Rand // for jitter
	listeners map[uint32]*resyncing
	runs      []*resyncRun // in the order of their turns
	pending   bool         // a chunk is out and has not drained
	ended     bool         // a run has ended since due was asked
	skipped   uint64       // ticks that were not begun because earlier runs had not ended
}

const (
	// resyncChunk is how many Syncs are pending at most.
	resyncChunk = 64
	// resyncPatience is how long, in all, a run holds back those of its listeners
	// that keep up for the sake of those that don't.
	resyncPatience = 100 * time.Millisecond
	// resyncRuns is how many unfinished runs a listener may have, of those by a policy
	// and of those on demand: the one that is about to end and the one that has just
	// begun. While it has, its ticks are skipped, so that one that sleeps does not find
	// a heap of resyncs, and what it wants on demand waits.
	resyncRuns = 2
)

// resyncTick is that listeners are due, and by which policy.
type resyncTick struct {
	to     *audience
	policy resync.Policy
	demand bool // somebody wants it now

	// rest is for a policy that has changed in the middle of a run: only these keys
	// are still to be shown, and until then if they are spread. Nil is all.
	rest  []delta.Key
	until time.Time
}

// resyncBatch is what is to be shown next, and to whom.
type resyncBatch struct {
	resyncTick
	keys   []delta.Key
	origin *delta.Origin
}

func newTimetable(rng *rand.Rand) *timetable {
	return &timetable{rng: rng, listeners: map[uint32]*resyncing{}}
}

// set adds a listener or changes its policy. A new period counts from the
// listener's last tick.
func (r *timetable) set(listener uint32, policy resync.Policy, now time.Time) {
	r.setAll(listener, []resync.Policy{policy}, now)
}

// remove forgets a listener.
func (r *timetable) remove(listener uint32) {
	delete(r.listeners, listener)
	r.withdraw(listener, func(*resyncRun) bool { return true })
}

// trigger makes a listener due now for what the selector chooses, whatever its
// policy says; its next tick stays where it is.
func (r *timetable) trigger(listener uint32, selector labels.Selector) {
	if l := r.listeners[listener]; l != nil {
		l.want(selector)
	}
}

// takers returns who is resynced by a period, which says that they want to
// see objects that did not change.
func (r *timetable) takers() *audience {
	to := &audience{}
	for _, number := range sortedKeys(r.listeners) {
		if r.listeners[number].periodic() {
			to.members = append(to.members, number)
		}
	}
	return to
}

// withdraw takes a listener out of some of its runs, and returns what they had yet
// to show to it. A key may be there twice.
func (r *timetable) withdraw(listener uint32, from func(*resyncRun) bool) (rest []delta.Key) {
	r.runs = slices.DeleteFunc(r.runs, func(run *resyncRun) bool {
		if !run.to.has(listener) || !from(run) {
			return false
		}
		rest = addRest(rest, run.keys)
		run.to = run.to.without(listener)
		return len(run.to.members) == 0
	})
	return rest
}

func (r *timetable) jittered(p resync.Policy) time.Duration {
	if p.Jitter == 0 {
		return p.Period
	}
	return durationOf(float64(p.Period) * (1 + p.Jitter*(2*r.rng.Float64()-1)))
}

// due returns who is due now, those who can be shown the same together.
func (r *timetable) due(now time.Time) []resyncTick {
	r.ended = false
	var ticks []resyncTick
	for _, number := range sortedKeys(r.listeners) {
		first := r.listeners[number]
		for room := resyncRuns - r.demanded(number); room > 0 && len(first.wanted) > 0; room-- {
			ticks = addTick(ticks, number, resyncTick{demand: true, policy: first.onDemand(first.wanted[0])})
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

// dueBy is due for one listener and policy.
func (r *timetable) dueBy(l *resyncing, number uint32, now time.Time) (resyncTick, bool) {
	rest := l.rest
	l.rest = nil
	if !l.next.IsZero() && !l.next.After(now) {
		r.advance(l, now)
		if r.unfinished(number, l.policy) >= resyncRuns {
			r.skipped++
			return resyncTick{}, false
		}
		return resyncTick{policy: l.policy}, true // which shows the rest, too
	}
	return resyncTick{policy: l.policy, rest: rest, until: l.next}, rest != nil
}

// advance sets the next tick. It keeps the rhythm, and leaves out what has been
// missed.
func (r *timetable) advance(l *resyncing, now time.Time) {
	l.last = l.next.Add(now.Sub(l.next).Truncate(l.policy.Period))
	if l.next = l.last.Add(r.jittered(l.policy)); !l.next.After(now) {
		l.next = l.last.Add(l.policy.Period)
	}
}

func addTick(ticks []resyncTick, number uint32, tick resyncTick) []resyncTick {
	tick.to = &audience{members: []uint32{number}}
	for i := range ticks {
		other := &ticks[i]
		if other.demand == tick.demand && sameRest(other.rest, tick.rest) && sharesRun(other.policy, tick.policy) {
			other.to = other.to.union(tick.to)
			if tick.until.Before(other.until) {
				other.until = tick.until
			}
			return ticks
		}
	}
	return append(ticks, tick)
}

// sameRest reports whether two listeners have left the same run at the same moment.
func sameRest(a, b []delta.Key) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// unfinished is how many runs for the policy's namespaces the listener is in.
func (r *timetable) unfinished(listener uint32, policy resync.Policy) int {
	return r.count(func(run *resyncRun) bool {
		return !run.demand && run.to.has(listener) && sameNamespaces(run.policy, policy)
	})
}

// demanded is how many runs on demand the listener is in.
func (r *timetable) demanded(listener uint32) int {
	return r.count(func(run *resyncRun) bool { return run.demand && run.to.has(listener) })
}

func (r *timetable) count(counts func(*resyncRun) bool) (n int) {
	for _, run := range r.runs {
		if counts(run) {
			n++
		}
	}
	return n
}

// begin starts the run of a tick over keys, which belong to it from now on and
// have been put in order by [resyncTick.arrange].
func (r *timetable) begin(tick resyncTick, keys []delta.Key, now time.Time) {
	for _, member := range tick.to.members {
		if !r.stillDue(member, &tick, keys) {
			tick.to = tick.to.without(member)
		}
	}
	if len(keys) == 0 || len(tick.to.members) == 0 {
		return
	}
	run := &resyncRun{resyncTick: tick, keys: keys, start: now, span: tick.policy.Period}
	if tick.rest != nil && tick.policy.Spread == resync.OverPeriod {
		run.fit(now)
	}
	tick.rest = nil // it is in keys
	run.origin = &delta.Origin{Resync: &delta.ResyncTerms{
		OnDemand: tick.demand, AsUpdate: tick.policy.AsUpdate,
		Lane: tick.policy.Lane, OnlyIfNotReconciledFor: tick.policy.OnlyIfNotReconciledFor,
	}}
	r.runs = append(r.runs, run)
}

// next returns the next chunk, if there is one to show now. lag tells how many
// events a listener has yet to be told.
func (r *timetable) next(now time.Time, lag func(uint32) uint64) (resyncBatch, bool) {
	if r.pending {
		return resyncBatch{}, false
	}
	for i, run := range r.runs {
		n := run.ready(now)
		if n == 0 || !r.keepsUp(run, now, lag) {
			continue
		}
		batch := resyncBatch{run.resyncTick, run.keys[:n:n], run.origin}
		run.hand(n, now)
		r.runs = slices.Delete(r.runs, i, i+1)
		if len(run.keys) > 0 {
			r.runs = append(r.runs, run) // the others' turn
		} else {
			r.ended = true
		}
		r.pending = true
		return batch, true
	}
	return resyncBatch{}, false
}

// drained says that what next returned has been published.
func (r *timetable) drained() { r.pending = false }

// wake is the first moment after now at which due or next may have something to
// say; zero is never. A listener that catches up, and a chunk that drains, are
// other reasons to ask.
func (r *timetable) wake(now time.Time) time.Time {
	var first time.Time
	for _, l := range r.listeners {
		for ; l != nil; l = l.more {
			first = earlier(first, l.next, now)
		}
	}
	for _, run := range r.runs {
		first = earlier(first, run.wake, now)
	}
	return first
}

// overdue reports whether a run that waited for its moment has seen it pass.
func (r *timetable) overdue(now time.Time) bool {
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

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

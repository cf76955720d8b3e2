package informer

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// resync decides which objects are shown again, to whom, and when. It has no
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
type resync struct {
	rng       *rand.Rand // for jitter
	listeners map[uint32]*resyncing
	runs      []*resyncRun // in the order of their turns
	pending   bool         // a chunk is out and has not drained
	skipped   uint64       // ticks that were not begun because earlier runs had not ended
}

const (
	// resyncChunk is how many Syncs are pending at most.
	resyncChunk = 64
	// resyncPatience is how long, in all, a run holds back those of its listeners
	// that keep up for the sake of those that don't.
	resyncPatience = 100 * time.Millisecond
	// resyncRuns is how many unfinished runs a listener may have: the one that is
	// about to end and the one that has just begun. While it has, its ticks are
	// skipped, so that one that sleeps does not find a heap of resyncs.
	resyncRuns = 2
)

// resyncTick is that listeners are due, and by which policy.
type resyncTick struct {
	to     *audience
	policy ResyncPolicy
}

// resyncRun is one walk over the keys.
type resyncRun struct {
	resyncTick
	keys  []delta.Key // not yet handed out, in order; shared with runs split off
	start time.Time
	after time.Time // not before

	waited    time.Duration // how long some have waited for others
	dividedAt time.Time     // since when they do; zero if they don't
	wake      time.Time     // when to look again; zero: when a listener has caught up
}

// resyncBatch is what is to be shown next, and to whom.
type resyncBatch struct {
	resyncTick
	keys []delta.Key
}

func newResync(rng *rand.Rand) *resync {
	return &resync{rng: rng, listeners: map[uint32]*resyncing{}}
}

// set adds a listener or changes its policy. A new period counts from the
// listener's last tick.
func (r *resync) set(listener uint32, policy ResyncPolicy, now time.Time) {
	r.setAll(listener, []ResyncPolicy{policy}, now)
}

// remove forgets a listener.
func (r *resync) remove(listener uint32) {
	delete(r.listeners, listener)
	r.withdraw(listener)
}

// trigger makes a listener due now, whatever its policy's period; its next tick
// stays where it is.
func (r *resync) trigger(listener uint32) {
	if l := r.listeners[listener]; l != nil {
		l.asked = true
	}
}

// takers returns who is resynced by a period, which says that they want to
// see objects that did not change.
func (r *resync) takers() *audience {
	to := &audience{}
	for _, number := range sortedKeys(r.listeners) {
		if r.listeners[number].periodic() {
			to.members = append(to.members, number)
		}
	}
	return to
}

// withdraw takes a listener out of every run.
func (r *resync) withdraw(listener uint32) {
	r.runs = slices.DeleteFunc(r.runs, func(run *resyncRun) bool {
		run.to = run.to.without(listener)
		return len(run.to.members) == 0
	})
}

func (r *resync) jittered(p ResyncPolicy) time.Duration {
	if p.Jitter == 0 {
		return p.Period
	}
	return time.Duration(float64(p.Period) * (1 + p.Jitter*(2*r.rng.Float64()-1)))
}

// due returns who is due now, those who can be shown the same together.
func (r *resync) due(now time.Time) []resyncTick {
	var ticks []resyncTick
	for _, number := range sortedKeys(r.listeners) {
		for l := r.listeners[number]; l != nil; l = l.more {
			if policy, due := r.dueBy(l, number, now); due {
				ticks = addTick(ticks, number, policy)
			}
		}
	}
	return ticks
}

// dueBy is due for one listener and policy. What it returns is the policy to show
// objects by.
func (r *resync) dueBy(l *resyncing, number uint32, now time.Time) (ResyncPolicy, bool) {
	policy := l.policy
	if onTime := !l.next.IsZero() && !l.next.After(now); onTime {
		r.advance(l, now)
		if r.unfinished(number, policy) >= resyncRuns {
			r.skipped++
			return policy, false
		}
		// A tick that shows all at once is what was asked for.
		l.asked = l.asked && (l.policy.Spread == OverPeriod || l.more != nil)
		return policy, true
	}
	if l.asked && r.unfinished(number, policy) < resyncRuns {
		l.asked = false
		policy.Spread = AllAtOnce
		if l.more != nil { // everything, and not only this policy's
			policy.Namespaces, policy.Except = nil, nil
		}
		return policy, true
	}
	return policy, false
}

// advance sets the next tick. It keeps the rhythm, and leaves out what has been
// missed.
func (r *resync) advance(l *resyncing, now time.Time) {
	l.last = l.next.Add(now.Sub(l.next).Truncate(l.policy.Period))
	if l.next = l.last.Add(r.jittered(l.policy)); !l.next.After(now) {
		l.next = l.last.Add(l.policy.Period)
	}
}

func addTick(ticks []resyncTick, number uint32, policy ResyncPolicy) []resyncTick {
	for i := range ticks {
		if ticks[i].policy.sharesRun(policy) {
			ticks[i].to = ticks[i].to.union(&audience{members: []uint32{number}})
			return ticks
		}
	}
	return append(ticks, resyncTick{&audience{members: []uint32{number}}, policy})
}

// unfinished is how many runs for the policy's namespaces the listener is in.
func (r *resync) unfinished(listener uint32, policy ResyncPolicy) int {
	n := 0
	for _, run := range r.runs {
		if run.to.has(listener) && run.policy.sameNamespaces(policy) {
			n++
		}
	}
	return n
}

// begin starts the run of a tick over keys, which belong to it from now on and
// have been put in order by [ResyncPolicy.arrange].
func (r *resync) begin(tick resyncTick, keys []delta.Key, now time.Time) {
	for _, member := range tick.to.members {
		if r.listeners[member] == nil {
			tick.to = tick.to.without(member)
		}
	}
	if len(keys) == 0 || len(tick.to.members) == 0 {
		return
	}
	r.runs = append(r.runs, &resyncRun{resyncTick: tick, keys: keys, start: now})
}

// next returns the next chunk, if there is one to show now. lag tells how many
// events a listener has yet to be told.
func (r *resync) next(now time.Time, lag func(uint32) uint64) (resyncBatch, bool) {
	if r.pending {
		return resyncBatch{}, false
	}
	for i, run := range r.runs {
		n := run.ready(now)
		if n == 0 || !r.keepsUp(run, now, lag) {
			continue
		}
		batch := resyncBatch{run.resyncTick, run.keys[:n:n]}
		run.hand(n, now)
		r.runs = slices.Delete(r.runs, i, i+1)
		if len(run.keys) > 0 {
			r.runs = append(r.runs, run) // the others' turn
		}
		r.pending = true
		return batch, true
	}
	return resyncBatch{}, false
}

// drained says that what next returned has been published.
func (r *resync) drained() { r.pending = false }

// wake is the first moment after now at which due or next may have something to
// say; zero is never. A listener that catches up, and a chunk that drains, are
// other reasons to ask.
func (r *resync) wake(now time.Time) time.Time {
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
func (r *resync) overdue(now time.Time) bool {
	return slices.ContainsFunc(r.runs, func(run *resyncRun) bool {
		return !run.wake.IsZero() && !run.wake.After(now)
	})
}

// keepsUp reports whether the run's listeners are ready for more. It splits those
// off that have tried the others' patience.
func (r *resync) keepsUp(run *resyncRun, now time.Time, lag func(uint32) uint64) bool {
	var ready, late audience
	for _, member := range run.to.members {
		if lag(member) <= resyncChunk {
			ready.members = append(ready.members, member)
		} else {
			late.members = append(late.members, member)
		}
	}
	if len(ready.members) == 0 || len(late.members) == 0 {
		run.dividedAt = time.Time{}
		return len(late.members) == 0
	}
	if !run.dividedAt.IsZero() {
		run.waited += now.Sub(run.dividedAt)
	}
	run.dividedAt = now
	if run.waited < resyncPatience {
		run.wake = now.Add(resyncPatience - run.waited)
		return false
	}
	rest := *run
	rest.to, rest.waited, rest.dividedAt = &late, 0, time.Time{}
	r.runs = append(r.runs, &rest)
	run.to, run.waited, run.dividedAt = &ready, 0, time.Time{}
	return true
}

// ready returns how many keys can be handed out now; if none, it sets wake.
func (run *resyncRun) ready(now time.Time) int {
	run.wake = time.Time{}
	if run.after.After(now) {
		run.wake = run.after
		return 0
	}
	n := min(len(run.keys), resyncChunk)
	if rate := run.policy.Rate; rate > 0 {
		n = min(n, max(1, int(rate/10))) // tenths of a second, so that a slow rate is even
	}
	if run.policy.Spread != OverPeriod {
		return n
	}
	for i, key := range run.keys[:n] {
		if at := run.start.Add(phase(key, run.policy.Period)); at.After(now) {
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
	if rate := run.policy.Rate; rate > 0 {
		run.after = now.Add(time.Duration(float64(n) / rate * float64(time.Second)))
		return
	}
	if run.policy.Spread == OverPeriod && n < resyncChunk {
		// Nothing more is due. Waking for each key on its own would be exact to no
		// purpose: a thousandth of the period is.
		run.after = now.Add(min(max(run.policy.Period/1000, time.Millisecond), time.Second))
	}
}

// earlier returns the first of a and b; b counts only if it is after now.
func earlier(a, b, now time.Time) time.Time {
	if b.After(now) && (a.IsZero() || b.Before(a)) {
		return b
	}
	return a
}

// without returns the audience less one listener.
func (a *audience) without(listener uint32) *audience {
	if !a.has(listener) {
		return a
	}
	members := slices.DeleteFunc(slices.Clone(a.members), func(m uint32) bool { return m == listener })
	return &audience{members: members}
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

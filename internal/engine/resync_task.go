package engine

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
	"github.com/delta-runtime/delta-runtime/internal/engine/timetable"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// resyncer lets a [timetable] run: it owns the lock, the timer, and the gathering of keys, which may take long.
// Handing out is the Controller's, between two batches.
//
//	keepTime ── gathers keys, begins runs ──▶ kick ──▶ Controller ──▶ refill ──▶ FIFO
//	                                              ▲
//	subscriber that has caught up ────────────────┘
type resyncer struct {
	keys    func(resync.Policy) []delta.Key // a new slice of the keys of all objects that the policy chooses
	lag     func(subscriber uint32) uint64  // [processor.lagOrAwait]
	kick    func()                          // makes the Controller call refill soon, from any goroutine
	changed chan struct{}                   // cap 1; a token for keepTime to look again

	taking atomic.Pointer[timetable.Audience] // what takers returns; nil when it has to be worked out again
	active atomic.Bool                        // written under mu. Invariant: true while schedule is not idle.

	mu       lock.Mutex[lock.Resyncer] // guards everything below; lag, which takes a subscriber's lock, is called with it held
	schedule *timetable.Timetable
	armed    time.Time // what keepTime sleeps until; zero: for a token only
}

func newResyncer(keys func(resync.Policy) []delta.Key, lag func(subscriber uint32) uint64, kick func()) *resyncer {
	return &resyncer{
		keys: keys, lag: lag, kick: kick,
		changed:  make(chan struct{}, 1),
		schedule: timetable.New(rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))),
	}
}

// change adds subscribers or changes their policies, all at once.
func (r *resyncer) change(policies map[uint32][]resync.Policy) {
	if len(policies) == 0 {
		return
	}
	r.mu.Lock()
	now := time.Now()
	for _, subscriber := range slices.Sorted(maps.Keys(policies)) {
		r.schedule.SetAll(subscriber, policies[subscriber], now)
	}
	r.taking.Store(nil)
	r.mu.Unlock()
	r.look()
}

// remove forgets a subscriber. Those who waited for it wait no longer.
func (r *resyncer) remove(subscriber uint32) {
	r.mu.Lock()
	r.schedule.Remove(subscriber)
	r.taking.Store(nil)
	r.mu.Unlock()
	r.look()
	r.kick()
}

// takers returns who is resynced by a period.
func (r *resyncer) takers() *timetable.Audience {
	if to := r.taking.Load(); to != nil {
		return to
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	to := r.schedule.Takers()
	r.taking.Store(to)
	return to
}

// trigger shows all subscribers what the selector chooses, now; nil is everything.
func (r *resyncer) trigger(selector labels.Selector) {
	r.mu.Lock()
	r.schedule.Trigger(selector)
	r.mu.Unlock()
	r.look()
}

// refill returns what to put into the FIFO next, if there is anything. It is for
// the Controller, between two batches.
func (r *resyncer) refill() (timetable.Batch, bool) {
	if !r.active.Load() {
		return timetable.Batch{}, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.schedule.Idle() {
		r.active.Store(false)
		return timetable.Batch{}, false
	}
	now := time.Now()
	batch, ok := r.schedule.Next(now, r.lag)
	if r.schedule.HasEnded() || !ok && !r.schedule.Wake(now).Equal(r.armed) {
		r.look()
	}
	return batch, ok
}

// status tells how far resyncs are.
func (r *resyncer) status(now time.Time) resync.Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.schedule.Status(now)
}

// look makes keepTime look again. It never blocks.
func (r *resyncer) look() {
	select {
	case r.changed <- struct{}{}:
	default:
	}
}

// turn begins what is due, and sets the timer to when to look again.
func (r *resyncer) turn(timer *time.Timer) {
	at, kick := r.beginDue()
	if kick {
		r.kick()
	}
	if at.IsZero() {
		timer.Stop()
	} else {
		timer.Reset(time.Until(at))
	}
}

// beginDue begins what is due, and returns when to look again and whether there
// is something for the Controller.
func (r *resyncer) beginDue() (at time.Time, kick bool) {
	r.mu.Lock()
	now := time.Now()
	waiting := r.schedule.Overdue(now)
	ticks := r.schedule.Due(now)
	r.mu.Unlock()
	gathered := make([][]delta.Key, len(ticks))
	for i, tick := range ticks {
		gathered[i] = tick.Arrange(r.keys(tick.Policy))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, tick := range ticks {
		r.schedule.Begin(tick, gathered[i], now)
	}
	r.active.Store(!r.schedule.Idle())
	r.armed = r.schedule.Wake(now)
	// There may be nothing to show, or policies may have changed meanwhile.
	if len(ticks) > 0 && r.schedule.Waiting() {
		r.look()
	}
	return r.armed, waiting || len(ticks) > 0
}

// watchEvery is how often subscribers are looked at, and so how exactly it is known since
// when one has been in its handler.
const watchEvery = time.Second

// keepTime does what has its time, until ctx ends: it begins resyncs when they are due, and
// looks each second at subscribers and for mutations.
func keepTime(ctx context.Context, r *resyncer, eachSecond func(now time.Time)) error {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case now := <-ticker.C:
			eachSecond(now)
		case <-r.changed:
			r.turn(timer)
		case <-timer.C:
			r.turn(timer)
		}
	}
}

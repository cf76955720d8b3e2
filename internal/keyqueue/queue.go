package keyqueue

import (
	"math"
	"sync"
	"time"

	"github.com/delta-runtime/delta-runtime/pkg/queue"
)

// Queue hands out keys to workers: each key to one worker at a time, once for
// all the adds since it was last handed out, by priority, and not before its
// time. It must not be copied.
//
// An interface type may hold keys that cannot be hashed. A call with such a key panics
// and leaves the queue as it was.
type Queue[K comparable] struct {
	limiter   Limiter[K]    // nil: none
	observe   func([]Event) // nil: nobody
	clock     *steady       // nil: package time
	afterFunc func(time.Duration, func()) Alarm
	began     time.Time // what the schedule counts from, without a clock
	fickle    bool      // there are values of K that cannot be hashed

	// telling is held while observe is told, so that it hears of things in order.
	// It is taken before mu, and guards only spare.
	telling sync.Mutex
	spare   []Event

	mu       sync.Mutex // guards everything below; never held while calling out
	schedule schedule[K]
	work     sync.Cond     // signalled for each key that may be handed out
	rest     sync.Cond     // signalled when a drain may be over
	idlers   int           // callers asleep in Take
	alarm    Alarm         // nil until the first timer
	rings    time.Duration // when the alarm goes off; never, if it is not set
	setBacks uint64        // of the clock, when the alarm was set last
	phase    phase
	drains   bool // a caller waits for the rest to be worked on
	served   bool // Take was called: there are workers
}

// phase is how far a queue is on its way out. It only ever goes up.
type phase uint8

const (
	open   phase = iota
	ending       // nothing is added any more, what is queued is handed out
	ended        // nothing is handed out any more either
)

const never = time.Duration(math.MaxInt64)

// New makes a queue that is ready for use. It starts nothing, and after
// [Queue.ShutDown] nothing of it is left.
func New[K comparable](o Options[K]) *Queue[K] {
	q := &Queue[K]{
		limiter:   o.Limiter,
		observe:   o.Observe,
		afterFunc: o.AfterFunc,
		fickle:    mayNotHash[K](),
		schedule:  newSchedule(o),
		rings:     never,
	}
	if q.afterFunc == nil {
		q.afterFunc = func(d time.Duration, ring func()) Alarm { return time.AfterFunc(d, ring) }
	}
	if o.Now == nil {
		q.began = time.Now()
	} else {
		q.clock = newSteady(o.Now)
	}
	q.work.L = &q.mu
	q.rest.L = &q.mu
	return q
}

// now is the time since the queue began. Without a clock of somebody's own it
// costs half of what time.Now does.
func (q *Queue[K]) now() time.Duration {
	if q.clock == nil {
		return time.Since(q.began)
	}
	return q.clock.elapsed()
}

// start is what the time of now is counted from.
func (q *Queue[K]) start() time.Time {
	if q.clock == nil {
		return q.began
	}
	return q.clock.start()
}

// Add asks for key to be worked on soon.
func (q *Queue[K]) Add(key K) {
	q.mustHash(key)
	now := q.now()
	q.mu.Lock()
	if q.phase == open {
		q.schedule.add(now, key, queue.AddOptions{})
		q.wakeLocked()
		if q.clock != nil {
			q.setAlarmLocked()
		}
	}
	q.unlockAndTell()
}

// AddAfter asks for key to be queued when d has passed.
func (q *Queue[K]) AddAfter(key K, d time.Duration) {
	q.AddWithOptions(queue.AddOptions{After: d}, key)
}

// AddWithOptions asks for keys to be worked on as with says.
func (q *Queue[K]) AddWithOptions(o queue.AddOptions, keys ...K) {
	q.mustHash(keys...)
	now := q.now()
	q.mu.Lock()
	if q.phase == open {
		for _, key := range keys {
			q.schedule.add(now, key, o)
		}
		q.wakeLocked()
		q.setAlarmLocked()
	}
	q.unlockAndTell()
}

// AddLimited asks for keys to be queued when the limiter allows it, or after
// with.After if that is set and sooner.
func (q *Queue[K]) AddLimited(o queue.AddOptions, keys ...K) {
	if q.limiter == nil {
		q.AddWithOptions(o, keys...)
		return
	}
	if q.ShuttingDown() {
		return
	}
	q.mustHash(keys...)
	for _, key := range keys {
		limited := o
		if d := q.limiter.When(key); o.After == 0 || d < o.After {
			limited.After = d
		}
		q.AddWithOptions(limited, key)
	}
}

// Replace gives key the delay and the priority that with says, whatever its
// delayed add said before, and reports whether there was one. Work that is
// queued already stays queued. Without a delayed add it is AddWithOptions.
func (q *Queue[K]) Replace(o queue.AddOptions, key K) bool {
	q.mustHash(key)
	now := q.now()
	q.mu.Lock()
	had := false
	if q.phase == open {
		had = q.schedule.replace(now, key, o)
		q.wakeLocked()
		q.setAlarmLocked()
	}
	q.unlockAndTell()
	return had
}

// Cancel takes back key's delayed add, and reports whether there was one. Work
// that is queued already stays queued.
func (q *Queue[K]) Cancel(key K) bool {
	q.mustHash(key)
	now := q.now()
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.schedule.cancel(now, key) // the alarm may go off for nothing; that is cheaper than setting it again
}

// Forget tells the limiter that key succeeded.
func (q *Queue[K]) Forget(key K) {
	if q.limiter != nil {
		q.limiter.Forget(key)
	}
}

// NumRequeues is how often key was limited since it was last forgotten.
func (q *Queue[K]) NumRequeues(key K) int {
	if q.limiter == nil {
		return 0
	}
	return q.limiter.NumRequeues(key)
}

// Get waits for a key and hands it out. It reports false when the queue is shut
// down and has nothing left to hand out. The worker must call Done.
func (q *Queue[K]) Get() (key K, ok bool) {
	key, _, ok = q.GetWithPriority()
	return key, ok
}

// Take is Get, and says with which priority the key was queued.
func (q *Queue[K]) GetWithPriority() (key K, priority int, ok bool) {
	now := q.now()
	q.mu.Lock()
	q.served = true
	for q.phase != ended {
		e, found := q.schedule.take(now)
		if found {
			// The entry is only ours to read while the lock is held.
			key, priority = e.key, e.priority
			q.wakeLocked()
			q.unlockAndTell()
			return key, priority, true
		}
		if q.phase != open {
			break
		}
		if len(q.schedule.events) > 0 {
			q.unlockAndTell()
			q.mu.Lock()
			continue
		}
		q.idlers++
		q.work.Wait()
		q.idlers--
		now = q.now()
	}
	q.unlockAndTell()
	return key, priority, false
}

// Done says that the worker is finished with key. If it was added meanwhile it
// may be handed out again.
func (q *Queue[K]) Done(key K) {
	q.mustHash(key)
	now := q.now()
	q.mu.Lock()
	q.schedule.done(now, key)
	q.wakeLocked()
	if q.drains && !q.busyLocked() {
		q.rest.Broadcast()
	}
	q.unlockAndTell()
}

// Len is the number of queued keys, those that wait for their time not included.
func (q *Queue[K]) Len() int {
	now := q.now()
	q.mu.Lock()
	q.schedule.promote(now)
	q.wakeLocked()
	n := q.schedule.len()
	q.unlockAndTell()
	return n
}

// Stats counts, for metrics and for people.
func (q *Queue[K]) Stats() queue.Stats {
	now := q.now()
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.schedule.summary(now)
}

// wakeLocked gets workers up for the keys that became ready. Waking one that
// finds nothing is harmless; leaving a key with everybody asleep is not.
func (q *Queue[K]) wakeLocked() {
	for range min(q.schedule.ready, q.idlers) {
		q.work.Signal()
	}
}

// setAlarmLocked sets the alarm if a timer is due before it would go off. An
// alarm that goes off too early just finds nothing to do.
func (q *Queue[K]) setAlarmLocked() {
	if q.clock != nil {
		if n := q.clock.setBacks.Load(); n != q.setBacks {
			q.setBacks, q.rings = n, never // an alarm of the same clock is late now
		}
	}
	due, ok := q.schedule.next()
	if !ok || due >= q.rings {
		return
	}
	q.rings = due
	wait := due - q.schedule.now
	if q.alarm == nil {
		q.alarm = q.afterFunc(wait, q.ring)
		return
	}
	q.alarm.Reset(wait)
}

// ring queues what is due and sets the alarm for what comes next.
func (q *Queue[K]) ring() {
	now := q.now()
	q.mu.Lock()
	q.rings = never
	if q.phase == open {
		q.schedule.promote(now)
		q.wakeLocked()
		q.setAlarmLocked()
	}
	q.unlockAndTell()
}

// unlockAndTell gives up mu and passes on what happened while it was held.
// The call that made it happen does so before it returns, so that an observer is never
// behind what its own caller knows.
func (q *Queue[K]) unlockAndTell() {
	if len(q.schedule.events) == 0 {
		q.mu.Unlock()
		return
	}
	// Trying does not wait, so the order of the locks stands; and mostly it saves
	// giving mu up and taking it again.
	if !q.telling.TryLock() {
		q.mu.Unlock()
		q.telling.Lock()
		q.mu.Lock()
	}
	events := q.schedule.events
	q.schedule.events = q.spare[:0]
	q.mu.Unlock()
	if len(events) > 0 { // somebody who told before us may have told ours
		q.observe(events)
	}
	q.spare = events
	if cap(events) > maxSpare {
		q.spare = nil
	}
	q.telling.Unlock()
}

// maxSpare bounds the events whose memory is kept: a burst of timers makes many.
const maxSpare = 4096

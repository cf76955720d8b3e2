package keyqueue

import (
	"math"
	"sync"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
	"github.com/delta-runtime/delta-runtime/pkg/queue"
)

// Queue hands out keys to workers, by priority and not before their time. One worker at a
// time has a key, and all adds since a key was last handed out count as one. A Queue must
// not be copied.
//
// An interface type may hold keys that cannot be hashed. A call with such a key panics
// and leaves the queue as it was.
type Queue[K comparable] struct {
	clock     *steady // nil: package time
	afterFunc func(time.Duration, func()) Alarm
	began     time.Time // what the schedule counts from, if there is no clock

	door door                   // guards everything below
	mu   lock.Mutex[lock.Queue] // says where door stands in the order of locks, and is held with it where invariants are checked

	schedule schedule[K]
	work     sync.Cond     // signalled for each key that may be handed out
	rest     sync.Cond     // signalled when a drain may be over
	idle     int           // Invariant: the number of callers asleep in GetWithPriority that nobody has woken.
	woken    int           // Invariant: the number of those that somebody has woken and that have not looked for a key yet.
	alarm    Alarm         // nil until the first timer
	rings    time.Duration // when the alarm rings, or never. Invariant: no later than the soonest timer is due.
	setBacks uint64        // what the clock had counted when the alarm was set last
	phase    phase         // Invariant: it only goes up.
	drains   bool          // a caller waits for the rest to be worked on
	served   bool          // a caller has asked for a key: there are workers
}

// phase is how far a queue is on its way to its end.
type phase uint8

const (
	open   phase = iota
	ending       // it ignores adds, and hands out the queued keys
	ended        // it ignores adds, and hands out nothing
)

const never = time.Duration(math.MaxInt64)

// New makes a queue. It starts no goroutine, and after [Queue.ShutDown] no timer is left.
func New[K comparable](o Options[K]) *Queue[K] {
	q := &Queue[K]{
		afterFunc: o.AfterFunc,
		door:      newDoor(),
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
	q.work.L, q.rest.L = locker[K]{q}, locker[K]{q}
	return q
}

// now is the time since the queue began. Without a caller's own clock it costs half of what
// time.Now does.
func (q *Queue[K]) now() time.Duration {
	if q.clock == nil {
		return time.Since(q.began)
	}
	return q.clock.elapsed()
}

// start is the time from which now counts.
func (q *Queue[K]) start() time.Time {
	if q.clock == nil {
		return q.began
	}
	return q.clock.start()
}

// Add queues key with priority zero.
func (q *Queue[K]) Add(key K) { q.AddWithOptions(queue.AddOptions{}, key) }

// AddAfter queues key with priority zero when d has passed.
func (q *Queue[K]) AddAfter(key K, d time.Duration) {
	q.AddWithOptions(queue.AddOptions{After: d}, key)
}

// AddWithOptions adds keys with the options o.
func (q *Queue[K]) AddWithOptions(o queue.AddOptions, keys ...K) {
	if len(keys) > 1 {
		for _, key := range keys { // so that a bad key is found before a good one is added
			q.schedule.table.hash(key)
		}
	}
	now := q.now()
	q.lock()
	defer q.unlock()
	if q.phase == open {
		for _, key := range keys {
			q.schedule.add(now, key, o)
		}
		q.wakeLocked()
		q.setAlarmLocked()
	}
}

// Replace gives key's delayed add the delay and the priority of o, and reports whether there
// was one. Without a delayed add it is AddWithOptions. Work that is queued already stays
// queued.
func (q *Queue[K]) Replace(o queue.AddOptions, key K) bool {
	now := q.now()
	q.lock()
	defer q.unlock()
	if q.phase != open {
		return false
	}
	had := q.schedule.replace(now, key, o)
	q.wakeLocked()
	q.setAlarmLocked()
	return had
}

// Cancel removes key's delayed add, and reports whether there was one. Work that is queued
// already stays queued.
func (q *Queue[K]) Cancel(key K) bool {
	now := q.now()
	q.lock()
	defer q.unlock()
	return q.schedule.cancel(now, key) // the alarm may ring for nothing, which is cheaper than to set it again
}

// Get waits for a key and hands it out. It reports false when the queue is shut down and
// has nothing left to hand out. The caller must call Done.
func (q *Queue[K]) Get() (key K, ok bool) {
	key, _, ok = q.GetWithPriority()
	return key, ok
}

// GetWithPriority is Get, and also returns the priority with which the key was queued.
func (q *Queue[K]) GetWithPriority() (key K, priority int, ok bool) {
	now := q.now()
	q.lock()
	defer q.unlock()
	q.served = true
	for q.phase != ended {
		e, found := q.schedule.take(now)
		if found {
			q.wakeLocked()
			return e.key, e.priority, true
		}
		if q.phase != open {
			break
		}
		q.sleepLocked()
		now = q.now()
	}
	return key, priority, false
}

// Done says that the worker is done with key. If key was added meanwhile, another worker may
// get it now.
func (q *Queue[K]) Done(key K) {
	now := q.now()
	q.lock()
	defer q.unlock()
	q.schedule.done(now, key)
	q.wakeLocked()
	if q.drains && !q.busyLocked() {
		q.rest.Broadcast()
	}
}

// Len is the number of queued keys. Delayed keys do not count.
func (q *Queue[K]) Len() int {
	now := q.now()
	q.lock()
	defer q.unlock()
	q.schedule.promote(now)
	q.wakeLocked()
	return q.schedule.len()
}

// Stats returns the numbers of the queue.
func (q *Queue[K]) Stats() queue.Stats {
	now := q.now()
	q.lock()
	defer q.unlock()
	out := q.schedule.summary(now)
	out.Served = q.served
	return out
}

// setAlarmLocked sets the alarm if a timer is due before the alarm rings. An alarm that rings
// too early does no harm: it finds nothing to do.
func (q *Queue[K]) setAlarmLocked() {
	if q.clock != nil {
		if n := q.clock.setBacks.Load(); n != q.setBacks {
			q.setBacks, q.rings = n, never // the alarm goes by the same clock, so it is late now
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

// ring queues the keys that are due and sets the alarm for the next one.
func (q *Queue[K]) ring() {
	now := q.now()
	q.lock()
	defer q.unlock()
	q.rings = never
	if q.phase == open {
		q.schedule.promote(now)
		q.wakeLocked()
		q.setAlarmLocked()
	}
}

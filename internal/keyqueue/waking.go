package keyqueue

import "github.com/delta-runtime/delta-runtime/internal/base/lock"

// lock takes the queue's lock, and unlock releases it.
func (q *Queue[K]) lock() {
	q.door.enter()
	if lock.Invariants {
		q.mu.Lock()
	}
}

func (q *Queue[K]) unlock() {
	if lock.Invariants {
		lock.Invariant(q.idle == 0 || q.woken >= q.schedule.ready,
			"%d keys are ready, %d workers sleep, and %d are woken", q.schedule.ready, q.idle, q.woken)
		q.mu.Unlock()
	}
	q.door.leave()
}

// locker is what the conditions of a queue need.
type locker[K comparable] struct{ q *Queue[K] }

func (l locker[K]) Lock()   { l.q.lock() }
func (l locker[K]) Unlock() { l.q.unlock() }

// sleepLocked returns when the caller should look for a key. None is ready now.
func (q *Queue[K]) sleepLocked() {
	q.idle++
	q.work.Wait()
	q.woken--
}

// wakeLocked sees to it that a worker is woken for each key that is ready, if one sleeps. It
// counts those that were woken and did not look for a key yet. Otherwise each of ten adds in
// a row would wake workers for the keys of the adds before, too. A worker that is woken may
// find no key, because one that was awake was faster.
func (q *Queue[K]) wakeLocked() {
	if q.idle > 0 {
		q.wakeIdleLocked()
	}
}

func (q *Queue[K]) wakeIdleLocked() {
	for q.idle > 0 && q.woken < q.schedule.ready {
		q.idle--
		q.woken++
		q.work.Signal()
	}
}

// wakeAllLocked wakes all workers.
func (q *Queue[K]) wakeAllLocked() {
	q.woken += q.idle
	q.idle = 0
	q.work.Broadcast()
}

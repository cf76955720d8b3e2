package keyqueue

// ShutDown ends the queue. From now on the queue ignores adds. It drops the delayed ones,
// and still hands out the queued keys. ShutDown does not wait, and ends the wait of a
// ShutDownWithDrain. Callers may end a queue several times, in several ways, in any order
// and at the same time.
func (q *Queue[K]) ShutDown() {
	q.lock()
	defer q.unlock()
	q.endLocked(ending)
	q.drains = false
}

// ShutDownNow is ShutDown, and hands out nothing more.
func (q *Queue[K]) ShutDownNow() {
	q.lock()
	defer q.unlock()
	q.endLocked(ended)
	q.drains = false
}

// ShutDownWithDrain is ShutDown, and waits until all queued keys have been worked on. It
// does not wait for queued keys if no worker ever called Get. After ShutDownNow it waits
// only for the keys that workers have.
func (q *Queue[K]) ShutDownWithDrain() {
	q.lock()
	defer q.unlock()
	q.endLocked(ending)
	q.drains = true
	for q.drains && q.busyLocked() {
		q.rest.Wait()
	}
}

// ShuttingDown reports whether the queue ignores adds.
func (q *Queue[K]) ShuttingDown() bool {
	q.lock()
	defer q.unlock()
	return q.phase != open
}

// endLocked moves the queue on to a phase and wakes all that wait. An alarm that rings at
// this moment finds that the phase is not open and does nothing.
func (q *Queue[K]) endLocked(p phase) {
	if q.phase == open {
		q.schedule.dropTimers()
		if q.alarm != nil {
			q.alarm.Stop()
		}
	}
	q.phase = max(q.phase, p)
	q.wakeAllLocked()
	q.rest.Broadcast()
}

// busyLocked reports whether a drain must wait.
func (q *Queue[K]) busyLocked() bool {
	if len(q.schedule.working) > 0 {
		return true
	}
	return q.phase == ending && q.served && q.schedule.queued > 0
}

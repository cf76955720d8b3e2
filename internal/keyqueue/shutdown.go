package keyqueue

// ShutDown ends the queue: adds are ignored from here on, delayed ones are
// dropped, and what is queued is still handed out. It does not wait, and ends
// the wait of a ShutDownWithDrain. Every way to end a queue may be called again,
// after or beside any other.
func (q *Queue[K]) ShutDown() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.endLocked(ending)
	q.drains = false
}

// ShutDownNow is ShutDown, and hands out nothing more.
func (q *Queue[K]) ShutDownNow() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.endLocked(ended)
	q.drains = false
}

// ShutDownWithDrain is ShutDown, and waits until everything that is queued has
// been worked on. A queue that no worker ever took from has nobody to drain it,
// and after ShutDownNow there is nothing to wait for but what workers hold.
func (q *Queue[K]) ShutDownWithDrain() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.endLocked(ending)
	q.drains = true
	for q.drains && q.busyLocked() {
		q.rest.Wait()
	}
}

// ShuttingDown says whether adds are ignored.
func (q *Queue[K]) ShuttingDown() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.phase != open
}

// endLocked moves the queue on to a phase and wakes everybody who may care. An
// alarm that is going off at this moment finds the queue closed and leaves.
func (q *Queue[K]) endLocked(p phase) {
	if q.phase == open {
		q.schedule.dropTimers()
		if q.alarm != nil {
			q.alarm.Stop()
		}
	}
	q.phase = max(q.phase, p)
	q.work.Broadcast()
	q.rest.Broadcast()
}

// busyLocked says whether a drain has something to wait for.
func (q *Queue[K]) busyLocked() bool {
	if len(q.schedule.working) > 0 {
		return true
	}
	return q.phase == ending && q.served && q.schedule.queued > 0
}

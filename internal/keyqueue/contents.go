package keyqueue

import (
	"cmp"
	"slices"
	"time"

	"github.com/delta-runtime/delta-runtime/pkg/queue"
)

// Contents returns up to limit keys. The keys that workers have come first, the longest
// held one at the front. Then come the queued keys, by priority and then in their order.
// Then come the keys with a timer, the soonest first. Each key appears once, at the first
// of these places. The queue is locked for a time that depends on limit alone. Keys that
// are queued in an Order of the caller's own are missing.
func (q *Queue[K]) Contents(limit int) []queue.Entry[K] {
	began := q.start()
	q.lock()
	defer q.unlock()
	found := q.schedule.contents(limit)
	out := make([]queue.Entry[K], 0, len(found))
	for _, e := range found {
		out = append(out, e.show(began))
	}
	return out
}

// Entry returns what the queue has of one key, and reports false if it has nothing.
func (q *Queue[K]) Entry(key K) (queue.Entry[K], bool) {
	began := q.start()
	q.lock()
	defer q.unlock()
	if e := q.schedule.table.find(key, q.schedule.table.hash(key)); e != nil && !e.idle() {
		return e.show(began), true
	}
	return queue.Entry[K]{}, false
}

// show describes an entry of a queue that began at the given time.
func (e *entry[K]) show(began time.Time) queue.Entry[K] {
	out := queue.Entry[K]{Key: e.key, Priority: e.priority}
	if e.queued {
		out.Queued = began.Add(e.since)
	}
	if e.timer != 0 {
		out.Due = began.Add(e.due)
		if !e.queued {
			out.Priority = e.timerPriority
		}
	}
	if e.working != 0 {
		out.Working = began.Add(e.started)
	}
	return out
}

func (s *schedule[K]) contents(limit int) []*entry[K] {
	out := slices.Clone(s.working)
	slices.SortFunc(out, func(a, b *entry[K]) int { return cmp.Compare(a.started, b.started) })
	for _, l := range s.lanes.sorted {
		for e := l.head; e != nil && len(out) < limit; e = e.next {
			if e.working == 0 {
				out = append(out, e)
			}
		}
	}
	for e := range s.timers.first {
		if len(out) >= limit {
			break
		}
		if e.working == 0 && !e.queued {
			out = append(out, e)
		}
	}
	return out[:min(len(out), max(limit, 0))]
}

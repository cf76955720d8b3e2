package queue

import (
	"cmp"
	"slices"
	"time"
)

// Entry is what the queue knows about one key. Times are zero where they do not
// apply: a key may be queued, timed and worked on in any combination.
type Entry[K comparable] struct {
	Key      K
	Priority int // of its queued work, else of its timer, else of the work being done

	Queued  time.Time // since when it is queued
	Due     time.Time // when its timer will queue it
	Working time.Time // since when a worker has it

	// Attempts is how often it was limited since it was last forgotten.
	Attempts int
}

// Contents shows up to limit keys in the order in which they matter: those being
// worked on, the longest first; those queued, by priority and then in their order; those
// with a timer, the soonest first. A key appears once, where it matters first.
// The queue stands still for a time that depends on limit alone. What is queued
// in an Order of the caller's own is not shown.
func (q *Queue[K]) Contents(limit int) []Entry[K] {
	began := q.start()
	q.mu.Lock()
	found := q.schedule.contents(limit)
	out := make([]Entry[K], 0, len(found))
	for _, e := range found {
		out = append(out, e.show(began))
	}
	q.mu.Unlock()

	if q.limiter != nil {
		for i := range out {
			out[i].Attempts = q.limiter.NumRequeues(out[i].Key)
		}
	}
	return out
}

// show is what the queue that began then has to say of an entry.
func (e *entry[K]) show(began time.Time) Entry[K] {
	out := Entry[K]{Key: e.key, Priority: e.priority}
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

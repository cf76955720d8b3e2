package keyqueue

import (
	"math/bits"
	"time"

	"github.com/delta-runtime/delta-runtime/pkg/queue"
)

// maxDepths bounds the priorities that [queue.Stats] tells apart, as its documentation says.
const maxDepths = 24

// firstBucketBits is the first bucket's end, as [queue.Histogram.UpperBound] has it.
const firstBucketBits = 10

func observe(h *queue.Histogram, d time.Duration) {
	i := bits.Len64(uint64(d)) - firstBucketBits
	h.Counts[min(max(i, 0), len(h.Counts)-1)]++
	h.Count++
	h.Sum += d
}

// counters are the part of Stats that the schedule counts all the time.
type counters struct {
	added, taken, finished, delayed, aged uint64
	queued, worked                        queue.Histogram
}

func (s *schedule[K]) added(e *entry[K]) {
	s.stats.added++
	if s.observer != nil {
		s.observer.Queued(e.priority)
	}
}

func (s *schedule[K]) raised(e *entry[K], to int) {
	if s.observer != nil {
		s.observer.Raised(e.priority, to)
	}
}

func (s *schedule[K]) took(e *entry[K]) {
	wait := s.now - e.since
	s.stats.taken++
	observe(&s.stats.queued, wait)
	if s.observer != nil {
		s.observer.Taken(e.priority, wait)
	}
}

func (s *schedule[K]) finished(e *entry[K]) {
	work := s.now - e.started
	s.stats.finished++
	observe(&s.stats.worked, work)
	if s.observer != nil {
		s.observer.Finished(work)
	}
}

func (s *schedule[K]) delayed() {
	s.stats.delayed++
	if s.observer != nil {
		s.observer.Delayed()
	}
}

// summary computes the rest of Stats.
func (s *schedule[K]) summary(now time.Duration) queue.Stats {
	s.tick(now)
	c := &s.stats
	out := queue.Stats{
		Added: c.added, Taken: c.taken, Finished: c.finished, Delayed: c.delayed, Aged: c.aged,
		Queued: c.queued, Worked: c.worked,
		Depth:   map[int]int{},
		Waiting: len(s.timers.heap),
		Working: len(s.working),
	}
	rest := s.queued
	if s.order != nil {
		out.Depth[0], rest = rest, 0
	}
	for _, l := range s.lanes.sorted {
		if l.n > 0 && len(out.Depth) < maxDepths {
			out.Depth[l.priority] = l.n
			rest -= l.n
		}
		if l.head != nil {
			out.OldestQueued = max(out.OldestQueued, s.now-l.head.since)
		}
	}
	for _, e := range s.working {
		if _, shown := out.Depth[e.priority]; s.order == nil && e.queued && !e.inLane && (shown || len(out.Depth) < maxDepths) {
			out.Depth[e.priority]++ // the key gets its place in the lane when its worker is done
			rest--
		}
		age := s.now - e.started
		out.Unfinished += age
		out.LongestWorking = max(out.LongestWorking, age)
	}
	out.DepthBelow = rest
	return out
}

package keyqueue

import (
	"time"

	"github.com/delta-runtime/delta-runtime/pkg/queue"
)

// maxDepths bounds the priorities that [queue.Stats] tells apart, as its documentation says.
const maxDepths = 24

func (s *schedule[K]) added(e *entry[K]) {
	s.stats.Added++
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
	s.stats.Taken++
	if s.observer != nil {
		s.observer.Taken(e.priority, s.now-e.since)
	}
}

func (s *schedule[K]) finished(e *entry[K]) {
	s.stats.Finished++
	if s.observer != nil {
		s.observer.Finished(s.now - e.started)
	}
}

func (s *schedule[K]) delayed() {
	s.stats.Delayed++
	if s.observer != nil {
		s.observer.Delayed()
	}
}

// summary computes the rest of Stats.
func (s *schedule[K]) summary(now time.Duration) queue.Stats {
	s.tick(now)
	out := s.stats
	out.Depth = map[int]int{}
	out.Waiting, out.Working = len(s.timers.heap), len(s.working)
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

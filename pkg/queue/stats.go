package queue

import (
	"math/bits"
	"time"
)

// Stats is what a queue looks like at one instant, worked out when it is asked
// for. Its size is bounded whatever is in the queue.
type Stats struct {
	// Totals since the queue was made.
	Added    uint64 // keys queued; a key that was queued already does not count
	Taken    uint64 // keys handed out
	Finished uint64 // keys that came back
	Delayed  uint64 // adds with a delay

	// Depth is the queued work by priority, for up to MaxDepths priorities, the
	// highest in use; DepthBelow is the sum of the rest. An Order has no priorities.
	Depth      map[int]int
	DepthBelow int

	Waiting int // keys with a timer
	Working int // keys being worked on

	OldestQueued   time.Duration // how long the key at the front of a lane has been queued, at most; not known of an Order
	LongestWorking time.Duration // how long the slowest worker has had its key
	Unfinished     time.Duration // how long all workers have had their keys, together

	Queued Histogram // how long keys were queued before they were handed out
	Worked Histogram // how long workers took
}

// MaxDepths bounds the priorities that Stats tells apart.
const MaxDepths = 24

// Histogram counts durations in buckets that double in width.
type Histogram struct {
	Counts [histogramBuckets]uint64
	Sum    time.Duration
}

const (
	histogramBuckets = 34
	firstBucketBits  = 10 // the first bucket ends at 2^10 ns, about a microsecond
)

// UpperBound is the largest duration that bucket i counts; the last bucket has
// none, and counts everything beyond the second to last (73 minutes).
func (*Histogram) UpperBound(i int) time.Duration {
	return 1<<(i+firstBucketBits) - 1
}

// Count is how many durations were counted.
func (h *Histogram) Count() (n uint64) {
	for _, c := range h.Counts {
		n += c
	}
	return n
}

func (h *Histogram) observe(d time.Duration) {
	i := bits.Len64(uint64(d)) - firstBucketBits
	h.Counts[min(max(i, 0), histogramBuckets-1)]++
	h.Sum += d
}

// counters is the part of Stats that has to be kept up all the time.
type counters struct {
	added, taken, finished, delayed uint64
	queued, worked                  Histogram
}

func (s *schedule[K]) added(e *entry[K]) {
	s.stats.added++
	if s.record {
		s.events = append(s.events, Event{Kind: Queued, Priority: e.priority})
	}
}

func (s *schedule[K]) raised(e *entry[K], to int) {
	if s.record {
		s.events = append(s.events, Event{Kind: Raised, Priority: to, From: e.priority})
	}
}

func (s *schedule[K]) took(e *entry[K]) {
	wait := s.now - e.since
	s.stats.taken++
	s.stats.queued.observe(wait)
	if s.record {
		s.events = append(s.events, Event{Kind: Taken, Priority: e.priority, Took: wait})
	}
}

func (s *schedule[K]) finished(e *entry[K]) {
	work := s.now - e.started
	s.stats.finished++
	s.stats.worked.observe(work)
	if s.record {
		s.events = append(s.events, Event{Kind: Finished, Took: work})
	}
}

func (s *schedule[K]) delayed() {
	s.stats.delayed++
	if s.record {
		s.events = append(s.events, Event{Kind: Delayed})
	}
}

// summary works out the rest of Stats.
func (s *schedule[K]) summary(now time.Duration) Stats {
	s.tick(now)
	c := &s.stats
	out := Stats{
		Added: c.added, Taken: c.taken, Finished: c.finished, Delayed: c.delayed,
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
		if l.n > 0 && len(out.Depth) < MaxDepths {
			out.Depth[l.priority] = l.n
			rest -= l.n
		}
		if l.head != nil {
			out.OldestQueued = max(out.OldestQueued, s.now-l.head.since)
		}
	}
	for _, e := range s.working {
		if _, shown := out.Depth[e.priority]; s.order == nil && e.queued && !e.inLane && (shown || len(out.Depth) < MaxDepths) {
			out.Depth[e.priority]++ // it gets its place in the lane when its worker is done
			rest--
		}
		age := s.now - e.started
		out.Unfinished += age
		out.LongestWorking = max(out.LongestWorking, age)
	}
	out.DepthBelow = rest
	return out
}

package reflector

import (
	"slices"
	"sync/atomic"
	"time"
)

// Buckets is how many buckets a Histogram has.
const Buckets = len(bounds) + 1

// bounds are the durations in nanoseconds where buckets end: one, two and five of each power of ten, from a microsecond on.
var bounds = func() (all [27]uint64) {
	at := uint64(1000)
	for i := 0; i < len(all); i += 3 {
		all[i], all[i+1], all[i+2] = at, 2*at, 5*at
		at *= 10
	}
	return all
}()

// Histogram counts durations in buckets. The zero value is ready. Any goroutine
// may count and read, and none waits. A reader may see a duration in the counts and not yet in the sum.
type Histogram struct {
	counts [Buckets]atomic.Uint64
	sum    atomic.Uint64
}

// Observe counts a duration. One below zero, of a clock that was set back, counts as zero.
func (h *Histogram) Observe(d time.Duration) {
	n := uint64(max(0, d))
	i, _ := slices.BinarySearch(bounds[:], n)
	h.counts[i].Add(1)
	h.sum.Add(n)
}

// Reading is a Histogram at one instant.
type Reading struct {
	Counts [Buckets]uint64 // durations in each bucket; UpperBound says where it ends
	Sum    uint64          // of all durations, in nanoseconds
}

// Read returns the counts so far.
func (h *Histogram) Read() (r Reading) {
	for i := range h.counts {
		r.Counts[i] = h.counts[i].Load()
	}
	r.Sum = h.sum.Load()
	return r
}

// UpperBound is the longest duration that bucket i counts. The last bucket has no such bound, and gets that of the one before.
func UpperBound(i int) time.Duration { return time.Duration(bounds[min(i, len(bounds)-1)]) } //nolint:gosec // they are small

// Count is how many durations were counted.
func (r *Reading) Count() (n uint64) {
	for _, c := range r.Counts {
		n += c
	}
	return n
}

// Beyond returns by how much each number is larger than in another Reading, and zero where it is not.
func (r *Reading) Beyond(other *Reading) (more Reading) {
	for i, c := range r.Counts {
		more.Counts[i] = c - min(c, other.Counts[i])
	}
	more.Sum = r.Sum - min(r.Sum, other.Sum)
	return more
}

// Add adds what another Histogram has counted.
func (r *Reading) Add(other *Reading) {
	for i, c := range other.Counts {
		r.Counts[i] += c
	}
	r.Sum += other.Sum
}

package reflector

import (
	"math/bits"
	"sync/atomic"
)

// Buckets is how many buckets a Histogram has.
const Buckets = 40

// Histogram counts numbers in buckets, each twice as wide as the one before. The zero value is ready. Any goroutine
// may count and read, and none waits. A reader may see a number in the counts and not yet in the sum.
type Histogram struct {
	counts [Buckets]atomic.Uint64
	sum    atomic.Uint64
}

// Observe counts a number.
func (h *Histogram) Observe(n uint64) {
	h.counts[min(bits.Len64(n), Buckets-1)].Add(1)
	h.sum.Add(n)
}

// Reading is a Histogram at one instant.
type Reading struct {
	Counts [Buckets]uint64 // numbers in each bucket; UpperBound says where it ends
	Sum    uint64          // of all numbers
}

// Read returns the counts so far.
func (h *Histogram) Read() (r Reading) {
	for i := range h.counts {
		r.Counts[i] = h.counts[i].Load()
	}
	r.Sum = h.sum.Load()
	return r
}

// UpperBound is the largest number that bucket i counts. The last bucket has no such bound.
func UpperBound(i int) uint64 { return 1<<i - 1 }

// Count is how many numbers were counted.
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

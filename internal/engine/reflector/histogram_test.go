package reflector

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
)

// TestHistogram compares what is read with a list of all numbers.
func TestHistogram(t *testing.T) {
	seeds.Run(t, 100, func(t *testing.T, rng *rand.Rand) {
		var h Histogram
		var all []uint64
		for range rng.IntN(500) {
			n := rng.Uint64() >> (20 + rng.IntN(45))
			if rng.IntN(4) == 0 {
				n = uint64(UpperBound(rng.IntN(Buckets))) + rng.Uint64N(2)
			}
			h.Observe(time.Duration(n))
			all = append(all, n)
		}
		got := h.Read()
		var sum, below uint64
		for _, n := range all {
			sum += n
		}
		if got.Sum != sum || got.Count() != uint64(len(all)) {
			t.Fatalf("sum %d and count %d, want %d and %d", got.Sum, got.Count(), sum, len(all))
		}
		for i := range Buckets - 1 {
			below += got.Counts[i]
			want := uint64(0)
			for _, n := range all {
				if n <= uint64(UpperBound(i)) {
					want++
				}
			}
			if below != want {
				t.Fatalf("%d durations are at most %v, want %d", below, UpperBound(i), want)
			}
		}
	})
}

// TestAddAndBeyond adds two readings, and takes each of them away again.
func TestAddAndBeyond(t *testing.T) {
	seeds.Run(t, 100, func(t *testing.T, rng *rand.Rand) {
		var a, b Histogram
		for range rng.IntN(100) {
			a.Observe(time.Duration(rng.Uint64() >> (24 + rng.IntN(40))))
			b.Observe(time.Duration(rng.Uint64() >> (24 + rng.IntN(40))))
		}
		one, other := a.Read(), b.Read()
		both := one
		both.Add(&other)
		if both.Count() != one.Count()+other.Count() || both.Sum != one.Sum+other.Sum {
			t.Errorf("both have %d numbers of sum %d, and each %d of %d, and %d of %d", both.Count(), both.Sum, one.Count(), one.Sum, other.Count(), other.Sum)
		}
		if both.Beyond(&one) != other || both.Beyond(&other) != one {
			t.Error("without the one, both are not the other")
		}
		if one.Beyond(&both) != (Reading{}) {
			t.Errorf("one goes beyond both by %+v", one.Beyond(&both))
		}
	})
}

package cache

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/testing/benchkit"
)

// How long operations go on while the collector is off, and how much they may allocate.
const (
	longEnough = time.Second
	muchEnough = 1 << 30
)

// withCollections measures op where much lives, and reports what one costs, whatever b.N
// is. There a collection comes every few seconds, and takes longer than all that is done
// in between: a benchmark that ends by time has one in it or has none, by luck. So the two
// are metered apart, operations with the collector off and one whole collection. How
// much of a collection an operation causes is how much it allocates of the room between
// two of them:
//
//   - "cpu-ns/op" is with the GOGC that is set. With 100 the room is as large as what lives:
//     a process with half of the live heap has half of the room, and collects twice as often.
//   - "same-heap-cpu-ns/op" is with a heap of that size, whatever lives in it: the same
//     container for both sides.
func withCollections(b *testing.B, heap uint64, op func(i int)) {
	b.Helper()
	b.ReportAllocs()
	var before, after runtime.MemStats
	collection := benchkit.StartCPU()
	runtime.GC()
	collection.Stop()
	runtime.ReadMemStats(&before)
	live := before.HeapAlloc
	if live >= heap {
		b.Fatalf("%d bytes live, which leaves no room in a heap of %d", live, heap)
	}

	percent := debug.SetGCPercent(-1)
	defer debug.SetGCPercent(percent)
	if percent < 0 {
		b.Fatal("GOGC is off, so that it does not say how often to collect")
	}
	cpu, start := benchkit.StartCPU(), time.Now()
	ops := uncollected(op)
	wall := time.Since(start)
	cpu.Stop()
	runtime.ReadMemStats(&after)

	each := func(n float64) float64 { return n / float64(ops) }
	bytes := float64(after.TotalAlloc - before.TotalAlloc)
	with := func(room uint64) float64 {
		return each(float64(cpu.Spent()) + float64(collection.Spent())*bytes/float64(room))
	}
	b.ReportMetric(with(live*uint64(percent)/100), "cpu-ns/op")
	b.ReportMetric(with(heap-live), "same-heap-cpu-ns/op")
	b.ReportMetric(each(float64(wall)), "ns/op")
	b.ReportMetric(each(bytes), "B/op")
	b.ReportMetric(each(float64(after.Mallocs-before.Mallocs)), "allocs/op")
}

// uncollected is how many operations there was time or memory for.
func uncollected(op func(i int)) (ops int) {
	start := time.Now()
	before, looked := allocated(), start
	for {
		op(ops)
		ops++
		now := time.Now()
		if now.Sub(looked) < time.Millisecond {
			continue
		}
		looked = now
		if now.Sub(start) > longEnough || allocated()-before > muchEnough {
			return ops
		}
	}
}

func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

func TestCollectionsNeedRoom(t *testing.T) {
	result := testing.Benchmark(func(b *testing.B) {
		withCollections(b, 1, func(int) { t.Error("an operation was called") })
	})
	if result.N != 0 {
		t.Error("a benchmark without room did not fail")
	}
}

package benchkit

import (
	"runtime"
	"runtime/metrics"
	"testing"
	"time"
)

// How long WholeCollections goes on: until a collection ends after the first of them,
// or in any case until the second.
const (
	longEnough = time.Second
	tooLong    = 6 * time.Second
)

// WholeCollections measures op by the garbage collector's clock, and reports what one
// costs, whatever b.N is. With a large heap a collection comes every few seconds and
// takes longer than all that op does in between. A benchmark that ends by time alone has
// one in it or has none, by luck; this one has whole ones.
func WholeCollections(b *testing.B, op func(i int)) {
	b.Helper()
	b.ReportAllocs()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	ops, cpu, start := 0, StartCPU(), time.Now()
	for looked, seen := start, collections(); ; {
		op(ops)
		ops++
		now := time.Now()
		if now.Sub(looked) < time.Millisecond {
			continue
		}
		looked = now
		ended := collections()
		if ended != seen && now.Sub(start) > longEnough || now.Sub(start) > tooLong {
			break
		}
		seen = ended
	}
	wall := time.Since(start)
	cpu.Report(b, ops)
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(wall)/float64(ops), "ns/op")
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(ops), "B/op")
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(ops), "allocs/op")
}

// collections is how many have ended.
func collections() uint64 {
	sample := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

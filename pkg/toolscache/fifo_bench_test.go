package toolscache_test

import (
	"testing"

	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/testing/benchkit"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

const (
	// burst is how many changes wait when the consumer comes round: a busy watch
	// outruns the goroutine that applies it, and it is then that the cost of a
	// FIFO matters.
	burst = 1000
	// hotKeys is how many objects the changes of a burst are about, where they
	// are about few.
	hotKeys = 100
)

func discard(any, bool) error { return nil }

// BenchmarkRow01_FIFODistinctKeys is a change of one object on its way through
// the FIFO, where no other change of that object waits.
func BenchmarkRow01_FIFODistinctKeys(b *testing.B) {
	pods := benchkit.Pods(max(benchkit.Size(b), burst)) // with fewer, a burst would change some of them twice
	run := func(b *testing.B, s side) {
		fifo := s.newFIFO(cache.DeltaFIFOOptions{EmitDeltaTypeReplaced: true})
		measureBursts(b, func(from, to int) {
			for i := from; i < to; i++ {
				must(b, fifo.Add(pods[i%len(pods)]))
			}
			for range to - from {
				pop(b, fifo)
			}
		})
	}
	eachSide(b, run)
	ownSides(b, run, func(b *testing.B) { measureOwn(b, pods, delta.Added) })
}

// BenchmarkRow02_FIFOHotKeys is the same where every object changes ten times
// before the consumer comes round.
func BenchmarkRow02_FIFOHotKeys(b *testing.B) {
	pods := benchkit.Pods(hotKeys)
	run := func(b *testing.B, s side) {
		fifo := s.newFIFO(cache.DeltaFIFOOptions{EmitDeltaTypeReplaced: true})
		measureBursts(b, func(from, to int) {
			for i := from; i < to; i++ {
				must(b, fifo.Update(pods[i%len(pods)]))
			}
			for range min(to-from, len(pods)) {
				pop(b, fifo)
			}
		})
	}
	eachSide(b, run)
	ownSides(b, run, func(b *testing.B) { measureOwn(b, pods, delta.Updated) })
}

// BenchmarkRow03_FIFOReplaceUnchanged is a relist that found what the store
// already has, from the list in memory to the last object popped. One operation
// is one object.
func BenchmarkRow03_FIFOReplaceUnchanged(b *testing.B) {
	pods := benchkit.Pods(benchkit.Size(b))
	list, known := make([]any, len(pods)), cache.NewStore(cache.MetaNamespaceKeyFunc)
	for i, pod := range pods {
		list[i] = pod
		must(b, known.Add(pod))
	}
	run := func(b *testing.B, s side) {
		fifo := s.newFIFO(cache.DeltaFIFOOptions{EmitDeltaTypeReplaced: true, KnownObjects: known})
		b.ReportAllocs()
		b.ResetTimer()
		cpu := benchkit.StartCPU()
		for range b.N {
			must(b, fifo.Replace(list, "2000000"))
			for range list {
				pop(b, fifo)
			}
		}
		reportEach(b, cpu, b.N*len(list))
	}
	eachSide(b, run)
	ownSides(b, run, func(b *testing.B) { replaceOwn(b, pods) })
}

// ownSides runs a row again with our own FIFO on the one side.
func ownSides(b *testing.B, row func(*testing.B, side), own func(*testing.B)) {
	b.Helper()
	b.Run("own/"+ours.name, own)
	b.Run("own/"+incumbent.name, func(b *testing.B) { row(b, incumbent) })
}

// measureBursts runs b.N operations, burst by burst.
func measureBursts(b *testing.B, run func(from, to int)) {
	b.Helper()
	b.ReportAllocs()
	b.ResetTimer()
	cpu := benchkit.StartCPU()
	for from := 0; from < b.N; from += burst {
		run(from, min(from+burst, b.N))
	}
	cpu.Report(b, b.N)
}

// reportEach reports time for each of ops, where an iteration did many.
func reportEach(b *testing.B, cpu *benchkit.CPU, ops int) {
	b.Helper()
	cpu.Report(b, ops)
	b.ReportMetric(float64(b.Elapsed())/float64(ops), "ns/op")
}

func pop(b *testing.B, fifo cache.Queue) {
	if _, err := fifo.Pop(discard); err != nil {
		b.Fatal(err)
	}
}

func must(b *testing.B, err error) {
	if err != nil {
		b.Fatal(err)
	}
}

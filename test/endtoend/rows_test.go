package endtoend

import (
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/testing/benchkit"
)

var forms = []string{typedJSON, typedBinary, untyped}

// sides measures a scenario with each side, in processes of its own.
func sides(b *testing.B, s scenario, report func(b *testing.B, found figures)) {
	b.Helper()
	for _, side := range []string{ours, incumbent} {
		b.Run(side, func(b *testing.B) {
			s.Side = side
			for range b.N {
				report(b, figuresOf(b, s))
			}
			b.ReportMetric(0, "ns/op") // most of that is making the objects
		})
	}
}

// known has figures that other rows need, too: making so many objects takes long. Each row gets
// them once.
var known = map[scenario]*shared{}

type shared struct {
	figures
	given map[string]bool // to which benchmarks
}

// figuresOf plays a scenario, unless another benchmark has just done so.
func figuresOf(b *testing.B, s scenario) figures {
	b.Helper()
	if k := known[s]; k != nil && !k.given[b.Name()] {
		k.given[b.Name()] = true
		return k.figures
	}
	found, err := play(b, s)
	must(b, err)
	known[s] = &shared{found, map[string]bool{b.Name(): true}}
	return found
}

// listed is how many objects a row lists: 30,000 if other rows work on 100,000.
func listed(b *testing.B) int {
	b.Helper()
	return max(benchkit.Size(b)*3/10, 100)
}

// listing is the scenario that lists everything, which is the same in each row that needs it.
func listing(b *testing.B, form string) scenario {
	b.Helper()
	if form == untyped { // an object takes three times as much memory, and as long to make
		return scenario{Form: form, Objects: listed(b) / 5}
	}
	return scenario{Form: form, Objects: listed(b), Relists: 1, Replays: 1}
}

func each(of time.Duration, n int) float64 { return float64(of) / float64(n) }

// BenchmarkRow16_Relist is what an object costs that a relist shows as it is known: with the network, and from its
// bytes alone.
func BenchmarkRow16_Relist(b *testing.B) {
	for _, form := range []string{typedJSON, typedBinary} {
		b.Run("encoding="+form, func(b *testing.B) {
			s := listing(b, form)
			sides(b, s, func(b *testing.B, found figures) {
				b.ReportMetric(each(found.RelistCPU, s.Objects), "cpu-ns/op")
			})
		})
		b.Run("encoding="+form+"/from=memory", func(b *testing.B) {
			s := listing(b, form)
			sides(b, s, func(b *testing.B, found figures) {
				b.ReportMetric(each(found.ReplayCPU, s.Objects), "cpu-ns/op")
			})
		})
	}
}

// BenchmarkRow27_Events is what an event costs from its bytes to the reconciler. There are few
// objects, so that the collector runs often, and not by luck.
func BenchmarkRow27_Events(b *testing.B) {
	for _, form := range forms {
		b.Run("encoding="+form, func(b *testing.B) {
			s := scenario{Form: form, Objects: listed(b) / 15, Events: listed(b) / 5}
			sides(b, s, func(b *testing.B, found figures) {
				b.ReportMetric(each(found.EventsCPU, s.Events), "cpu-ns/op")
			})
		})
	}
}

// BenchmarkRow29_UnstructuredMemory is what a cached object takes that is a map.
func BenchmarkRow29_UnstructuredMemory(b *testing.B) {
	measure := func(b *testing.B, s scenario) {
		b.Helper()
		sides(b, s, func(b *testing.B, found figures) {
			benchkit.ReportMemory(b, float64(found.Heap-found.BaseHeap)/float64(s.Objects))
		})
	}
	s := listing(b, untyped)
	b.Run("managedFields=kept", func(b *testing.B) { measure(b, s) })
	b.Run("managedFields=stripped", func(b *testing.B) {
		measure(b, scenario{Form: untyped, Objects: s.Objects / 2, Strip: true})
	})
}

// BenchmarkRow30_FirstList is what the first list costs, and the memory that it takes: the most
// that the process ever had, and how much of it came with the objects, for each byte of them that
// lives at the end. An empty process has about 40 MB.
func BenchmarkRow30_FirstList(b *testing.B) {
	measure := func(b *testing.B, s scenario) {
		b.Helper()
		sides(b, s, func(b *testing.B, found figures) {
			b.ReportMetric(each(found.ListCPU, s.Objects), "cpu-ns/op")
			if found.PeakRSS > 0 {
				b.ReportMetric(float64(found.PeakRSS)/float64(s.Objects), "peak-B/item")
				b.ReportMetric(float64(found.PeakRSS-found.BaseRSS)/float64(found.Heap-found.BaseHeap), "peak/live")
			}
		})
	}
	for _, form := range forms {
		b.Run("encoding="+form, func(b *testing.B) { measure(b, listing(b, form)) })
	}
	for _, form := range []string{typedJSON, typedBinary} {
		b.Run("encoding="+form+"/server=default", func(b *testing.B) {
			measure(b, scenario{Form: form, Objects: listed(b) / 5, Default: true})
		})
	}
}

// BenchmarkRow32_Small loads objects of 2 KB, has every hundredth of them change, and says what the process needs.
func BenchmarkRow32_Small(b *testing.B) {
	for _, form := range forms {
		b.Run("encoding="+form, func(b *testing.B) {
			s := scenario{Form: form, Objects: benchkit.Size(b), Events: benchkit.Size(b) / 100, Small: true}
			sides(b, s, func(b *testing.B, found figures) {
				b.ReportMetric(each(found.ListCPU, s.Objects), "cpu-ns/op")
				b.ReportMetric(float64(found.EndRSS)/float64(s.Objects), "peak-B/item")
				b.ReportMetric(float64(found.Heap-found.BaseHeap)/float64(s.Objects), "live-B/item")
			})
		})
	}
}

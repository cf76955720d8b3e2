package endtoend

import (
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/testing/benchkit"
)

var forms = []string{typedJSON, typedBinary, untyped}

// sides runs a scenario with each side, in a process of its own.
func sides(b *testing.B, s scenario, report func(b *testing.B, found figures)) {
	b.Helper()
	for _, side := range []string{ours, incumbent} {
		b.Run(side, func(b *testing.B) {
			s.Side = side
			for range b.N {
				report(b, run(b, s))
			}
			b.ReportMetric(0, "ns/op") // the time for making the objects says nothing
		})
	}
}

// listed is how many objects a row lists: 30,000 of the 100,000 that other rows work on.
func listed(b *testing.B) int { return max(benchkit.Size(b)*3/10, 10) }

func each(of time.Duration, n int) float64 { return float64(of) / float64(n) }

// BenchmarkRow27_Events is what an event costs from its bytes to the reconciler. There are few
// objects, so that the collector runs often and by no luck.
func BenchmarkRow27_Events(b *testing.B) {
	s := scenario{Objects: max(listed(b)/10, 10), Events: max(listed(b)/3, 100)}
	for _, form := range forms {
		b.Run("encoding="+form, func(b *testing.B) {
			s.Form = form
			sides(b, s, func(b *testing.B, found figures) {
				b.ReportMetric(each(found.EventsCPU, s.Events), "cpu-ns/op")
			})
		})
	}
}

// BenchmarkRow30_FirstList is what it costs to list all objects for the first time.
func BenchmarkRow30_FirstList(b *testing.B) {
	s := scenario{Objects: listed(b)}
	for _, form := range forms {
		b.Run("encoding="+form, func(b *testing.B) {
			s.Form = form
			sides(b, s, func(b *testing.B, found figures) {
				b.ReportMetric(each(found.ListCPU, s.Objects), "cpu-ns/op")
				b.ReportMetric(float64(found.PeakRSS)/float64(s.Objects), "peak-B/item")
				b.ReportMetric(float64(found.PeakRSS)/float64(found.Heap), "peak/live")
				b.ReportMetric(float64(found.Heap-found.Before)/float64(s.Objects), "B/item")
			})
		})
	}
}

// BenchmarkRow16_Relist is what it costs to list objects that have not changed.
func BenchmarkRow16_Relist(b *testing.B) {
	s := scenario{Objects: listed(b) / 3, Relists: 3}
	for _, form := range []string{typedJSON, typedBinary} {
		b.Run("encoding="+form, func(b *testing.B) {
			s.Form = form
			sides(b, s, func(b *testing.B, found figures) {
				b.ReportMetric(each(found.RelistCPU, s.Objects), "cpu-ns/op")
			})
		})
	}
}

package benchkit

import (
	"runtime"
	"testing"
)

// Heap meters how much live memory a structure holds.
type Heap struct{ before uint64 }

// StartHeap notes what lives now. Make the data that both sides are given before
// calling it, so that only the structure itself is counted.
func StartHeap() Heap {
	return Heap{before: liveHeap()}
}

// Report reports the bytes that came to live since [StartHeap] for each of items.
// Pass every structure that is measured as keep, or the collector may take
// it away before it was counted.
func (h Heap) Report(b *testing.B, items int, keep ...any) {
	b.Helper()
	ReportMemory(b, h.Grown(items, keep...))
}

// Grown is what Report reports.
func (h Heap) Grown(items int, keep ...any) float64 {
	grown := float64(int64(liveHeap()-h.before)) / float64(items)
	runtime.KeepAlive(keep)
	return grown
}

// ReportMemory reports bytes for each item that were metered before the benchmark.
func ReportMemory(b *testing.B, bytes float64) {
	b.Helper()
	b.ReportMetric(bytes, "B/item")
}

// liveHeap collects twice: the first collection may only queue finalizers and
// move sync.Pool contents to their victim caches.
func liveHeap() uint64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

package memory

import (
	"math"
	"runtime/debug"
	"runtime/metrics"

	"github.com/delta-runtime/delta-runtime/internal/lock"
)

// collector is the process's garbage collector. Reading a saved state makes hardly any garbage, but the heap grows from
// nothing, so the collector would look through it each time it has doubled. While something is read it waits until
// the heap is as large as that of the process which saved it.
var collector waiting

type waiting struct {
	mu          lock.Mutex[lock.Collector] // guards everything below
	readers     int
	before, now int // percentages
}

// smallestHeap is how large a heap always may grow with 100 percent.
const smallestHeap = 4 << 20

// wait has the collector wait until the heap has a size, and returns a function that ends that.
func (w *waiting) wait(size uint64) (end func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.readers++; w.readers == 1 {
		w.before = debug.SetGCPercent(100)
		w.now = max(w.before, percentOf(size))
		if w.before < 0 { // it is off
			w.now = w.before
		}
		debug.SetGCPercent(w.now)
	}
	return w.end
}

// end sets what was set before, if nobody has set something else meanwhile.
func (w *waiting) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.readers--; w.readers > 0 {
		return
	}
	if found := debug.SetGCPercent(w.before); found != w.now {
		debug.SetGCPercent(found)
	}
}

// percentOf returns with how many percent the heap grows to a size. A quarter is left for what the process needs beside.
func percentOf(size uint64) int {
	live := max(liveHeap(), smallestHeap)
	size = min(size, uint64(debug.SetMemoryLimit(-1))/2) //nolint:gosec // it is not negative
	if size <= live {
		return 0
	}
	return int(min((size-live)*75/live, math.MaxInt32)) //nolint:gosec // it is small enough
}

// liveHeap is how many bytes the last collection has found in use.
func liveHeap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}

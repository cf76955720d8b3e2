//go:build slow

package memory

import (
	"runtime"
	"runtime/metrics"
	"testing"
)

func cycles() uint64 {
	sample := []metrics.Sample{{Name: "/gc/cycles/automatic:gc-cycles"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// TestTheCollectorWaits fills the heap while something is read, and counts how often it is collected.
func TestTheCollectorWaits(t *testing.T) {
	before := percent()
	grow := func() (n uint64) {
		runtime.GC()
		n = cycles()
		kept := make([][]byte, 0, 1024)
		for range 1024 {
			kept = append(kept, make([]byte, 256<<10))
		}
		n = cycles() - n
		runtime.KeepAlive(kept)
		return n
	}
	usual := grow()
	runtime.GC() // what lived is known from the last collection
	end := collector.wait(512 << 20)
	waiting := grow()
	end()
	if usual < 3 || waiting > 1 {
		t.Errorf("the heap was collected %d times, and %d times when the collector was to wait", usual, waiting)
	}
	if percent() != before {
		t.Errorf("the percentage is %d afterwards, and was %d", percent(), before)
	}
}

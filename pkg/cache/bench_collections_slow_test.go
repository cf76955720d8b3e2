//go:build slow

package cache

import (
	"runtime"
	"testing"
)

func TestACollectionIsSharedOut(t *testing.T) {
	const size, heap = 1 << 20, 1 << 30
	lives := make([][]byte, 1<<17) // for the collector to mark
	for i := range lives {
		lives[i] = make([]byte, 64)
	}
	var kept []byte
	ops := 0
	result := testing.Benchmark(func(b *testing.B) {
		withCollections(b, heap, func(i int) {
			if i != 0 && i != ops {
				b.Fatalf("operation %d is called the %dth", ops, i)
			}
			ops = i + 1
			kept = make([]byte, size)
		})
	})
	runtime.KeepAlive(kept)
	runtime.KeepAlive(lives)
	if bytes := result.Extra["B/op"]; bytes < size || bytes > 2*size {
		t.Errorf("an operation allocated %v bytes", bytes)
	}
	if wall := result.Extra["ns/op"]; wall <= 0 || wall > float64(result.T.Nanoseconds())/float64(ops)*1.1 {
		t.Errorf("an operation of %d took %v ns, and all of them %v", ops, wall, result.T)
	}
	// A heap of a gigabyte has far more room than GOGC=100 gives the live objects.
	if often, seldom := result.Extra["cpu-ns/op"], result.Extra["same-heap-cpu-ns/op"]; seldom <= 0 || often <= seldom {
		t.Errorf("an operation takes %v ns with frequent collections and %v with rare ones", often, seldom)
	}
}

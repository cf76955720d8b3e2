package sim

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/client-go/tools/cache"
)

// A deltaFIFO is the FIFO that a fifoScript drives.
type deltaFIFO struct {
	cache.Queue
	keys func() []string // pending, in order
	// locked says that the FIFO holds its lock while an item is processed, as
	// client-go's does. A call from elsewhere then waits until that has finished.
	// Ours lets it in, and it must come to the same.
	locked bool
}

// fifoConstructor makes one of them.
type fifoConstructor func(cache.DeltaFIFOOptions) deltaFIFO

// incumbentFIFO is client-go's. Its keys are read off a private field, because
// since it has no more than the methods of a Queue nothing else shows them.
func incumbentFIFO(o cache.DeltaFIFOOptions) deltaFIFO {
	f := cache.NewDeltaFIFOWithOptions(o)
	return deltaFIFO{Queue: f, locked: true, keys: func() []string {
		queue := reflect.ValueOf(f).Elem().FieldByName("queue")
		keys := make([]string, queue.Len())
		for i := range keys {
			keys[i] = queue.Index(i).String()
		}
		return keys
	}}
}

// TestDeltaFIFO plays random scripts on both FIFOs and compares what came of each
// step: what was popped, what is pending, whether it has synced.
func TestDeltaFIFO(t *testing.T) {
	eachSeed(t, func(t *testing.T, seed uint64) {
		s := newFIFOScript(seed)
		if text := differFIFO(s, subjectFIFO); text != "" {
			t.Error(text)
		}
	})
}

// differFIFO returns the script up to the first step at which the FIFO differs
// from client-go's, or nothing.
func differFIFO(s fifoScript, make fifoConstructor) string {
	got, want := playFIFO(s, make), playFIFO(s, incumbentFIFO)
	for i := range max(len(got), len(want)) {
		if i < len(got) && i < len(want) && got[i].text == want[i].text {
			if slices.Equal(got[i].pending, want[i].pending) {
				continue
			}
			if sameKeys(got[i].pending, want[i].pending) {
				return ""
			}
		}
		var b strings.Builder
		fmt.Fprintf(&b, "known=%v replaced=%v transform=%v\n", s.known, s.replaced, s.transform)
		for j, step := range s.steps[:min(i+1, len(s.steps))] {
			fmt.Fprintf(&b, "  %2d %v\n", j, step)
		}
		fmt.Fprintf(&b, "client-go's: %s\nours:        %s", at(want, i), at(got, i))
		return b.String()
	}
	return ""
}

// sameKeys reports whether the same keys are pending in another order. A Resync
// that comes while a new object is processed finds it last with ours, which knows
// it from what was handed out, and where the store has it with client-go's. Order
// among keys is free, but what comes after it can't be compared step by step, so
// the script ends there.
func sameKeys(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

func at(log []outcomeOfStep, i int) string {
	if i >= len(log) {
		return "(ended)"
	}
	return log[i].String()
}

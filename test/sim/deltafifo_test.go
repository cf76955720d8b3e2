package sim

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/pkg/toolscache"
)

// A deltaFIFO is the FIFO that a fifoScript drives.
type deltaFIFO struct {
	cache.Queue
	keys func() []string // pending, in order
	// locked says that the FIFO holds its lock while an item is processed, as client-go's does.
	// A call from elsewhere waits until that has finished. Ours does not make it wait, and the
	// result must be the same.
	locked bool
}

// fifoConstructor makes a deltaFIFO.
type fifoConstructor func(cache.DeltaFIFOOptions) deltaFIFO

// incumbentFIFO makes client-go's FIFO. Its keys are read from a private field, because it
// has only the methods of a Queue, and these do not show the keys.
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

// TestDeltaFIFO plays random scripts on both FIFOs and compares the results of each step: the
// popped item, the pending keys, and whether the FIFO has synced.
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

// sameKeys reports whether the same keys are pending, maybe in another order. If a Resync
// comes while a new object is processed, the two FIFOs order the object's key differently:
// ours knows the object as handed out and takes it last, and client-go's takes it where the
// store has it. Any order of keys is right. But later steps can't be compared after that, so
// the comparison ends there.
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

// subject is the informer under test.
var subject constructor = toolscache.NewSharedIndexInformer

// subjectFIFO is the DeltaFIFO under test.
func subjectFIFO(o cache.DeltaFIFOOptions) deltaFIFO {
	f := toolscache.NewDeltaFIFOWithOptions(o)
	return deltaFIFO{Queue: f, keys: f.ListKeys}
}

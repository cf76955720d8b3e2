package keyqueue

import (
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/pkg/queue"
)

// A key that cannot be hashed panics in its caller, and harms no other caller.
func TestKeyThatCannotBeHashed(t *testing.T) {
	bad := any([]int{1})
	q := New(Options[any]{})
	for name, call := range map[string]func(){
		"Add":            func() { q.Add(bad) },
		"AddAfter":       func() { q.AddAfter(bad, time.Hour) },
		"AddWithOptions": func() { q.AddWithOptions(queue.AddOptions{}, "good", bad) },
		"Replace":        func() { q.Replace(queue.AddOptions{}, bad) },
		"Cancel":         func() { q.Cancel(bad) },
		"Done":           func() { q.Done(bad) },
		"Entry":          func() { q.Entry(bad) },
	} {
		panicked := func() (value any) {
			defer func() { value = recover() }()
			call()
			return nil
		}()
		if panicked == nil && name != "Done" { // which ignores a key that no worker has
			t.Errorf("%s took the key", name)
		}
		if q.door.state.Load() != 0 {
			t.Fatalf("%s left the queue locked", name)
		}
	}
	if q.Len() != 0 {
		t.Errorf("%d keys were added beside the bad one", q.Len())
	}
	q.Add([1]any{"fine"})
	if key, ok := q.Get(); key != [1]any{"fine"} || !ok {
		t.Errorf("got %v, %t", key, ok)
	}
	q.ShutDown()
}

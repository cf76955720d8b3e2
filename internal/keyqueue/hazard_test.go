package keyqueue

import (
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
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
		"AddLimited":     func() { q.AddLimited(queue.AddOptions{}, bad) },
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
		if panicked == nil {
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

func TestWhichKeysMayNotHash(t *testing.T) {
	type plain struct {
		A string
		B [2]int
	}
	for what, got := range map[string]bool{
		"string":            mayNotHash[string](),
		"struct":            mayNotHash[plain](),
		"pointer":           mayNotHash[*any](),
		"any not":           !mayNotHash[any](),
		"struct of any not": !mayNotHash[struct{ A any }](),
		"array of any not":  !mayNotHash[[2]fmt.Stringer](),
	} {
		if got {
			t.Errorf("%s is taken for the contrary", what)
		}
	}
}

// A caller's own clock may be set back. A key that is added afterwards comes in time. A key
// that waits already comes after twice its delay at most.
func TestClockThatIsSetBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var back atomic.Int64
		now := func() time.Time { return time.Now().Add(-time.Duration(back.Load())) }
		q := New(Options[string]{Now: now})
		start := time.Now()
		q.AddAfter("before", time.Minute)
		time.Sleep(30 * time.Second)
		back.Store(int64(24 * time.Hour))
		q.AddAfter("after", time.Minute)
		shown := q.Contents(2)
		if got := shown[1].Due.Sub(now()); shown[1].Key != "after" || got != time.Minute {
			t.Errorf("%s is shown as due in %v, want after in a minute", shown[1].Key, got)
		}
		for _, want := range []struct {
			key   string
			after time.Duration
		}{{"before", 2 * time.Minute}, {"after", 90 * time.Second}} {
			key, _ := q.Get()
			if since := time.Since(start); since > want.after {
				t.Errorf("%s came after %v, want %s after %v", key, since, want.key, want.after)
			}
			q.Done(key)
		}
		q.ShutDown()
	})
}

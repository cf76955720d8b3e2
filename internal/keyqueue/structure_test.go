package keyqueue

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/queue"
)

// TestTableAgainstMap compares the table with a built-in map. Few distinct hashes make long
// runs, which make removal hard.
func TestTableAgainstMap(t *testing.T) {
	seeds.Run(t, usualSeeds, func(t *testing.T, rng *rand.Rand) {
		table, model := newTable[int](), map[int]*entry[int]{}
		hashes := uint64(1 + rng.IntN(200))
		for range 1000 {
			key := rng.IntN(300)
			hash := uint64(key) % hashes * 0x9e3779b97f4a7c15
			e := table.find(key, hash)
			if e != model[key] {
				t.Fatalf("find(%d) = %v, want %v", key, e, model[key])
			}
			switch {
			case e == nil:
				e = &entry[int]{key: key, hash: hash}
				table.insert(e)
				model[key] = e
			case rng.IntN(2) == 0:
				table.remove(e)
				delete(model, key)
			}
			if table.n != len(model) {
				t.Fatalf("%d entries, want %d", table.n, len(model))
			}
		}
		for key, want := range model {
			if table.find(key, want.hash) != want {
				t.Fatalf("key %d is lost", key)
			}
		}
	})
}

func TestTableGivesMemoryBack(t *testing.T) {
	table := newTable[int]()
	var all []*entry[int]
	for key := range 100_000 {
		e := &entry[int]{key: key, hash: table.hash(key)}
		table.insert(e)
		all = append(all, e)
	}
	for _, e := range all {
		table.remove(e)
	}
	if len(table.slots) != minSlots {
		t.Errorf("an empty table keeps %d slots, want %d", len(table.slots), minSlots)
	}
}

func TestTimersGiveMemoryBack(t *testing.T) {
	var timers timers[int]
	var all []*entry[int]
	for i := range 100_000 {
		e := &entry[int]{}
		timers.set(e, time.Duration(i))
		all = append(all, e)
	}
	for _, e := range all {
		timers.remove(e)
	}
	if cap(timers.heap) > 1024 {
		t.Errorf("an empty heap keeps room for %d timers", cap(timers.heap))
	}
}

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

//go:build invariants && !race && (amd64 || arm64)

package lock

import (
	"sync"
	"testing"
)

func TestALockThatTheGoroutineHasAlready(t *testing.T) {
	var m Mutex[Pins]
	m.Lock()
	defer m.Unlock()
	checkPanic(t, panicOf(m.Lock), "BUG: lock Pins: the goroutine holds Pins, but no two Pins are held together")
}

// notes counts what the table has.
func notes() (n int) {
	for i := range held {
		held[i].mu.Lock()
		n += len(held[i].notes)
		held[i].mu.Unlock()
	}
	return n
}

func TestNothingIsLeft(t *testing.T) {
	before := notes()
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			var l locks
			for range 50 {
				l.scopes.Lock()
				l.informer.Lock()
				_ = panicOf(l.scopes.Lock)
				_ = l.pins.TryLock()
				l.informer.Unlock()
				l.pins.Unlock()
				l.scopes.Unlock()
			}
		})
	}
	all.Wait()
	if after := notes(); after != before {
		t.Errorf("there are %d notes of locks that nobody holds", after-before)
	}
}

func TestAGoroutineMayHoldMany(t *testing.T) {
	before := notes()
	var many [100]Mutex[Pins]
	for i := range many {
		if !many[i].TryLock() {
			t.Fatal("TryLock does not get a lock that nobody has")
		}
	}
	if got := len(heldBy(self())); got != len(many) {
		t.Errorf("%d locks are held, want %d", got, len(many))
	}
	for i := range many {
		many[i].Unlock()
	}
	if after := notes(); after != before {
		t.Errorf("there are %d notes of locks that nobody holds", after-before)
	}
}

// TestWhoIsWho asks many goroutines that run at the same time who they are, also when
// their stacks have moved.
func TestWhoIsWho(t *testing.T) {
	const n = 200
	var asked, end sync.WaitGroup
	asked.Add(n)
	answers := make([]uint64, n)
	for i := range n {
		end.Go(func() {
			answers[i] = self()
			asked.Done()
			asked.Wait()
			if again := deep(1000, self); again != answers[i] {
				t.Errorf("a goroutine was %d and now is %d", answers[i], again)
			}
		})
	}
	end.Wait()
	seen := map[uint64]bool{0: true}
	for _, answer := range answers {
		if seen[answer] {
			t.Errorf("two goroutines are %d, or one is nobody", answer)
		}
		seen[answer] = true
	}
}

// deep calls f with n frames below it.
func deep(n int, f func() uint64) uint64 {
	var frame [64]byte
	if n == 0 {
		return f()
	}
	frame[n%len(frame)] = 1
	return deep(n-1, f) + uint64(frame[(n+1)%len(frame)])
}

package keyqueue

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
)

// Goroutines that come and go at random are inside one at a time. None waits for ever: the bubble
// fails if all that are left wait.
func TestOneAtATimeIsInside(t *testing.T) {
	seeds.Run(t, usualSeeds, func(t *testing.T, rng *rand.Rand) {
		synctest.Test(t, func(t *testing.T) {
			d := newDoor()
			d.looked.Store(uint32(rng.IntN(doorCrowded + 1)))
			const goroutines, turns = 6, 300
			inside, entries := 0, 0
			var all sync.WaitGroup
			for range goroutines {
				pauses := rand.New(rand.NewPCG(rng.Uint64(), 0))
				all.Go(func() {
					for range turns {
						d.enter()
						inside++
						if pauses.IntN(8) == 0 {
							runtime.Gosched()
						}
						if inside != 1 {
							t.Errorf("%d are inside", inside)
						}
						inside--
						entries++
						d.leave()
						if pauses.IntN(8) == 0 {
							runtime.Gosched()
						}
					}
				})
			}
			all.Wait()
			if s := d.state.Load(); s != 0 || entries != goroutines*turns || len(d.bell)+len(d.hand) != 0 {
				t.Errorf("after %d entries all are gone, and the state is %#x, with %d bells and %d hands", entries, s, len(d.bell), len(d.hand))
			}
		})
	})
}

// visitor goes in, says so, and stays inside until it is told to leave.
type visitor struct{ in, leave chan struct{} }

func visit(d *door) visitor {
	v := visitor{in: make(chan struct{}), leave: make(chan struct{})}
	go func() {
		d.enter()
		close(v.in)
		<-v.leave
		d.leave()
	}()
	return v
}

func (v visitor) isIn() bool {
	synctest.Wait()
	select {
	case <-v.in:
		return true
	default:
		return false
	}
}

// goPast goes in if the door is open, and reports whether it was.
func goPast(d *door) bool {
	s := d.state.Load()
	return s&doorShut == 0 && d.state.CompareAndSwap(s, s|doorShut)
}

// Somebody may go past the one who was called, but nobody goes past the one who is next.
func TestNobodyGoesPastTheNext(t *testing.T) {
	for went := false; !went; { // at times the one who was called is faster
		synctest.Test(t, func(t *testing.T) {
			d := newDoor()
			d.enter()
			first := visit(&d)
			synctest.Wait()
			second := visit(&d)
			if first.isIn() || second.isIn() {
				t.Fatal("two are inside")
			}
			d.leave()
			if went = goPast(&d); went {
				if first.isIn() {
					t.Fatal("one went past, and two are inside")
				}
				d.leave()
				if goPast(&d) {
					t.Error("somebody went past the one who is next")
				}
			}
			if !first.isIn() || second.isIn() {
				t.Error("not the one who waited longest went in")
			}
			close(first.leave)
			if !second.isIn() {
				t.Error("the second one was forgotten")
			}
			close(second.leave)
		})
	}
}

// Who leaves opens the door first, and then hands it over or calls somebody. Nobody goes in between
// the two when one is next, and nobody is called then by another who leaves slowly.
func TestTheNextIsHandedTheDoorSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDoor()
		d.state.Store(doorNext) // somebody is about to hand the door over
		v := visit(&d)
		if v.isIn() {
			t.Fatal("somebody went past the one who is next")
		}
		d.pass(doorSleeper) // somebody left before one was next
		if len(d.bell) != 0 || v.isIn() {
			t.Error("somebody is called while one is next")
		}
		d.pass(doorNext)
		<-d.hand
		d.leave()
		if !v.isIn() {
			t.Error("the one who waited was forgotten")
		}
		close(v.leave)
	})
}

// The door is not crowded any longer when one who was called finds it open.
func TestCrowdedDoor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDoor()
		d.looked.Store(doorCrowded)
		d.enter()
		v := visit(&d)
		if v.isIn() {
			t.Fatal("two are inside")
		}
		d.leave()
		if !v.isIn() || d.looked.Load() != 0 {
			t.Errorf("%d got in by looking again", d.looked.Load())
		}
		close(v.leave)
	})
}

package keyqueue

import (
	"runtime"
	"sync/atomic"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
)

// door is a mutex for calls that are shorter than the way of a cache line from one core to
// another; see docs/adr/0003-queue.md. At a crowded door goroutines sleep at once, so that one
// core does many calls in a row.
//
//   - Who finds the door open goes in, also past those who wait.
//   - Who finds it shut looks again a few times, and then sleeps. If many got in by looking
//     again, the door is crowded, and the next ones sleep at once.
//   - Who leaves calls the one that has slept longest, unless one is called already.
//   - Who was called and finds the door open goes in. So it is not crowded any longer.
//   - Who was called and finds the door shut is next. Who leaves then hands it the door, and
//     nobody goes past.
//
// So a goroutine waits until all who fell asleep before it have had their turn. Between two
// of these turns others may go past, but only for as long as one goroutine takes to wake up.
type door struct {
	state atomic.Uint32

	// looked counts those who got in by looking again. Only who is inside changes it.
	looked atomic.Uint32

	// bell wakes the one that is called, and hand the one that is next. There is at most one
	// of each. The channels keep the signal until the goroutine sleeps.
	bell, hand chan struct{}
}

// The parts of a door's state.
const (
	doorShut    uint32 = 1 << iota // somebody is inside
	doorCalled                     // one was called, and has not gone in yet
	doorNext                       // one waits to be handed the door
	doorSleeper                    // the other bits count those who wait to be called
)

const (
	// doorLooks is how often a goroutine looks again, and doorPause the length of a loop
	// between two looks. Together this takes a microsecond.
	doorLooks, doorPause = 4, 1000

	// doorCrowded is how many get in by looking again until the door is crowded.
	doorCrowded = 32
)

func newDoor() door {
	return door{bell: make(chan struct{}, 1), hand: make(chan struct{}, 1)}
}

// enter returns when the caller is inside, alone.
func (d *door) enter() {
	if s := d.state.Load(); s&(doorShut|doorNext) != 0 || !d.state.CompareAndSwap(s, s|doorShut) {
		d.wait()
	}
}

func (d *door) wait() {
	var called uint32 // doorCalled, if it is this goroutine that was called
	looks := 0
	for {
		s := d.state.Load()
		switch {
		case s&(doorShut|doorNext) == 0:
			if d.state.CompareAndSwap(s, (s|doorShut)&^called) {
				switch {
				case looks > 0:
					d.looked.Add(1)
				case called != 0:
					d.looked.Store(0)
				}
				return
			}
		case looks < doorLooks && d.looked.Load() < doorCrowded && s&doorNext == 0:
			looks++
			for range doorPause { // it only takes time
			}
		case called == 0:
			if d.state.CompareAndSwap(s, s+doorSleeper) {
				<-d.bell
				called, looks = doorCalled, 0
			}
		default:
			lock.Invariant(s&doorNext == 0, "two are next")
			if d.state.CompareAndSwap(s, (s|doorNext)&^doorCalled) {
				<-d.hand // the door stays shut
				return
			}
		}
	}
}

// leave lets the next one in.
func (d *door) leave() {
	if s := d.state.Add(^(doorShut - 1)); s != 0 {
		d.pass(s)
	}
}

// pass hands the door over, or calls somebody if nobody was called. It gets the state that
// the caller has left behind.
func (d *door) pass(s uint32) {
	if s&doorNext != 0 {
		d.state.Add(^(doorNext - doorShut - 1)) // now it is shut, and nobody is next
		d.hand <- struct{}{}
		// The one that is inside now does not run yet, and all others wait for it.
		runtime.Gosched()
		return
	}
	for s >= doorSleeper && s&(doorShut|doorCalled|doorNext) == 0 {
		if d.state.CompareAndSwap(s, (s-doorSleeper)|doorCalled) {
			d.bell <- struct{}{}
			return
		}
		s = d.state.Load()
	}
}

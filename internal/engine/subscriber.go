package engine

import (
	"cmp"
	"math"
	"sync/atomic"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// withDefaults fills in what a subscriber leaves open.
func withDefaults(o informer.SubscribeOptions) informer.SubscribeOptions {
	o.HighWater = cmp.Or(o.HighWater, 4096)
	o.Stuck = cmp.Or(o.Stuck, 30*time.Second)
	return o
}

// subscriber is told what happens, in a goroutine of its own. It is made by
// [processor.newSubscriber], joins once, runs once, and can't be used again.
type subscriber[T any] struct {
	of     *processor[T]
	number uint32 // in audiences
	opts   informer.SubscribeOptions
	saved  bool // it is told how objects differ from what was saved
	tell   func(*delta.Delta[T])

	synced chan struct{} // closed once everything up to syncAt is told
	done   chan struct{} // closed when tell is not running and never will again

	// The publisher reads these for every batch, and calls is written for every event. They
	// are apart, because they would slow each other down in one cache line.
	bell     bell          // rung when there may be something to take
	gone     atomic.Bool   // nothing more is to be told
	position atomic.Uint64 // written under mu. Invariant: that of place, whenever mu is free, until the subscriber has left.
	syncAt   atomic.Uint64 // the log's length when the first list was complete
	awaited  atomic.Bool   // somebody waits for it to catch up
	busy     atomic.Bool   // run tells what it has taken
	_        [64]byte
	calls    atomic.Uint64 // events told, or passed over as not for us; written by run alone
	_        [64]byte

	mu       lock.Mutex[lock.Subscriber] // guards everything below; never held while telling
	stage    stage                       // Invariant: it only goes up.
	place    cursor[T]                   // in the log, behind what has been taken. Invariant: it never goes back, until the subscriber has left.
	initial  inventory[T]                // Invariant: nil from the stage telling on; run has it then.
	taken    span                        // what run has taken last
	isSynced bool                        // Invariant: true when synced is closed, and only then.
	progress progress
}

// stage is how far a subscriber has come in its life.
type stage uint8

const (
	apart   stage = iota // not joined
	joined               // has a place in the log
	telling              // run is at work
	ended                // done is closed
)

// span is a run of events as it was taken.
type span struct {
	end   uint64    // calls when the last of it is told
	at    time.Time // when its first event was published
	first bool      // it is the snapshot that a late subscriber is given
}

// never is later than any position.
const never = math.MaxUint64

// Synced is closed when the subscriber has been told everything of the first list,
// or, if it came later, of what was there then. Which scopes' first lists that are
// says [Options].WhenSettled.
func (l *subscriber[T]) Synced() <-chan struct{} { return l.synced }

// Done is closed when the handler is not being called and will not be again.
func (l *subscriber[T]) Done() <-chan struct{} { return l.done }

// join gives the subscriber its place, unless it has been sent away meanwhile.
func (l *subscriber[T]) join(at cursor[T], s inventory[T]) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch l.stage {
	case apart:
		l.stage, l.place, l.initial = joined, at, s
		l.position.Store(at.position())
		return true
	case ended:
		return false
	default:
		panic("BUG: subscriber " + l.opts.Name + " joins twice")
	}
}

// quit makes run end and drops what is pending.
func (l *subscriber[T]) quit() {
	l.gone.Store(true)
	l.mu.Lock()
	l.place = cursor[T]{}
	unheard := l.initial
	l.initial = nil
	if l.stage == apart || l.stage == joined {
		l.stage = ended
		close(l.done)
	}
	l.mu.Unlock()
	if unheard != nil {
		unheard.Release()
	}
	l.bell.ring()
}

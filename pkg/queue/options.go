package queue

import (
	"cmp"
	"time"
)

// Merge says how adds of one key that has not been handed out yet become one.
type Merge uint8

const (
	// OnePerKey keeps a single piece of pending work per key: the highest priority
	// and the earliest time of all that was asked for. An add that is due at once
	// takes the place of a delayed one. While the key is being worked on, its
	// queued work keeps its place in its lane.
	OnePerKey Merge = iota

	// TimersApart keeps queued work and a timer side by side: adding a key leaves
	// its timer running, and of two timers the earlier stays. Work queued while the
	// key is being worked on goes to the end of its lane when that is done.
	TimersApart
)

// Ageing keeps priorities from starving anybody: out of Every keys handed out,
// one is the key queued longest, if that is longer than Patience.
//
// The bound: a key that is queued behind k others is handed out no later than
// Patience plus Every·(k+1) keys after that, whatever is added meanwhile (being
// raised to a higher priority starts the count again). The price: while a backlog
// of lower priorities is out of patience, the highest gets (Every-1)/Every of the
// workers' turns. Younger work is always handed out strictly by priority.
type Ageing struct {
	Patience time.Duration // 30s if zero; negative: never
	Every    int           // 4 if zero
}

func (a Ageing) or(fallback Ageing) Ageing {
	return Ageing{
		Patience: cmp.Or(a.Patience, fallback.Patience),
		Every:    cmp.Or(a.Every, fallback.Every),
	}
}

// defaultAgeing gives a quarter of the turns to what has waited half a minute.
var defaultAgeing = Ageing{Patience: 30 * time.Second, Every: 4}

// Limiter says how long a key must wait before it is tried again. It is called
// without any lock of the queue held, from any goroutine.
type Limiter[K comparable] interface {
	When(key K) time.Duration
	Forget(key K)
	NumRequeues(key K) int
}

// Order replaces the lanes by an order of the caller's own; priorities then mean
// nothing. It is a data structure, not a callback: the queue calls it with its
// lock held, so it must neither block nor call the queue. It goes with TimersApart.
type Order[K comparable] interface {
	Push(key K)  // key is not in it
	Pop() K      // it is not empty
	Touch(key K) // key is in it and was added again
	Len() int
}

// Alarm is the queue's one timer, as time.AfterFunc returns it.
type Alarm interface {
	Reset(time.Duration) bool
	Stop() bool
}

// Options are what a queue can be told. The zero value is a queue that merges
// per key, ages by default, limits nothing and keeps the system's time.
type Options[K comparable] struct {
	Merge   Merge
	Ageing  Ageing
	Limiter Limiter[K]
	Order   Order[K]

	// Observe is told what happened, in the order in which it happened, before the
	// call that made it happen returns. Only one call of it runs at a time and no
	// lock guards the queue's data meanwhile, but it must not change the queue.
	// The slice is only valid during the call.
	Observe func([]Event)

	// Now and AfterFunc replace package time. They are for adapters to interfaces
	// that carry a clock; tests use testing/synctest instead. Both are called with
	// a lock of the queue held, and AfterFunc must call ring from another goroutine.
	// Where Now goes back, the queue's time stands still until the next call.
	Now       func() time.Time
	AfterFunc func(d time.Duration, ring func()) Alarm
}

// With says how to add a key. Its zero value is: now, with priority zero.
type With struct {
	Priority int           // higher is sooner
	After    time.Duration // not before; zero or less: at once
}

package keyqueue

import (
	"cmp"
	"time"

	"github.com/delta-runtime/delta-runtime/pkg/queue"
)

// Merge says how several adds of one key become one, as long as no worker gets the key.
type Merge uint8

const (
	// OnePerKey keeps a single piece of pending work per key. It has the highest priority
	// and the earliest time of all adds. An add without a delay replaces a delayed one.
	// Work that is queued while a worker has the key keeps its place in its lane.
	OnePerKey Merge = iota

	// TimersApart keeps queued work and a timer side by side. An add without a delay
	// leaves the key's timer running, and of two timers the earlier stays. Work that is
	// queued while a worker has the key goes to the end of its lane when the worker is done.
	TimersApart
)

// defaultAgeing gives a quarter of the turns to keys that have waited half a minute.
var defaultAgeing = queue.Ageing{Patience: 30 * time.Second, Every: 4}

// ageingOf fills in the fields that are not set.
func ageingOf(a queue.Ageing) queue.Ageing {
	return queue.Ageing{
		Patience: cmp.Or(a.Patience, defaultAgeing.Patience),
		Every:    cmp.Or(a.Every, defaultAgeing.Every),
	}
}

// Order replaces the lanes by an order of the caller's own. Priorities then mean nothing.
// It is a data structure and not a callback: the queue calls it with its lock held, so it
// must not block and must not call the queue. An Order needs TimersApart.
type Order[K comparable] interface {
	Push(key K)  // key is not in it
	Pop() K      // it is not empty
	Touch(key K) // key is in it and was added again
	Len() int
}

// Observer is told what happens to keys. It is told what metrics need, which is not the key. The
// queue calls it with its lock held, so it must not call the queue.
type Observer interface {
	// Queued says that a key became queued. If it was queued already, the queue says nothing.
	Queued(priority int)
	// Raised says that queued work got a higher priority.
	Raised(from, to int)
	// Taken says that a worker got a key that was queued for so long.
	Taken(priority int, queued time.Duration)
	// Finished says that a worker is done with a key that it had for so long.
	Finished(worked time.Duration)
	// Delayed says that a key was added with a delay, mostly for a retry.
	Delayed()
}

// Alarm is the queue's one timer, as time.AfterFunc returns it.
type Alarm interface {
	Reset(time.Duration) bool
	Stop() bool
}

// Options configure a queue. The zero value is a queue that merges per key, ages by
// default and uses the system's time.
type Options[K comparable] struct {
	Merge  Merge
	Ageing queue.Ageing
	Order  Order[K]

	// Observer is told what happens, in order; nil: nobody is.
	Observer Observer

	// Now and AfterFunc replace package time. They are for adapters to interfaces that
	// carry a clock; tests use testing/synctest instead. The queue calls both with a lock
	// held, and AfterFunc must call ring from another goroutine. If Now goes back, the
	// queue's time stands still until the next call.
	Now       func() time.Time
	AfterFunc func(d time.Duration, ring func()) Alarm
}

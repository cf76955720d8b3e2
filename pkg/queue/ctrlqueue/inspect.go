package ctrlqueue

import (
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"

	"github.com/delta-runtime/delta-runtime/internal/keyqueue"
	"github.com/delta-runtime/delta-runtime/pkg/queue"
)

// Inspectable is what the queues of this package offer beyond the interfaces of client-go
// and controller-runtime.
type Inspectable[T comparable] interface {
	// Contents returns up to limit keys. The keys that workers have come first, the longest
	// held one at the front. Then come the queued keys, by priority and then in their order.
	// Then come the delayed keys, the soonest first. Each key appears once, at the first of
	// these places. Keys that are queued in a storage of the caller's own are missing.
	Contents(limit int) []queue.Entry[T]

	// Entry returns what the queue has of one key. It reports false if it has nothing.
	Entry(key T) (queue.Entry[T], bool)

	// Stats returns the queue's numbers. They are there without metrics too.
	Stats() queue.Stats

	// Cancel removes the key's delayed add, and reports whether there was one. Work that is
	// queued already stays queued.
	Cancel(key T) bool

	// Replace gives the key's delayed add the delay and the priority of o, which may be
	// later and lower than before. It reports whether there was a delayed add. Without one
	// it adds the key. Work that is queued already stays queued.
	Replace(o queue.AddOptions, key T) bool
}

var (
	_ Inspectable[string] = (*typed[string])(nil)
	_ Inspectable[string] = (*priorityQueue[string])(nil)
)

// Inspect looks into a queue that a constructor of this package made. It reports false for
// other queues. It also reports false for a queue that only delays adds to another one,
// which is one with TypedDelayingQueueConfig.Queue set.
func Inspect[T comparable](q workqueue.TypedInterface[T]) (Inspectable[T], bool) {
	if l, ok := q.(*limiting[T]); ok {
		q = l.TypedDelayingInterface
	}
	i, ok := q.(Inspectable[T])
	return i, ok
}

// both is what a workqueue and a priority queue have alike.
type both[T comparable] struct {
	*keyqueue.Queue[T]
	tasks tasks
}

// newBoth makes a queue by its own clock c, or by the system's if that is nil. The metrics m may be nil.
func newBoth[T comparable](o keyqueue.Options[T], m *pusher, c clock.WithTicker) both[T] {
	q := both[T]{tasks: newTasks()}
	keepTime(q.tasks, c, &o)
	if m != nil {
		o.Observer = m
	}
	q.Queue = keyqueue.New(o)
	if m != nil {
		q.tasks.every(c, updatePeriod, func() { m.update(q.Stats()) })
	}
	return q
}

// Get waits for a key. The caller must call Done for it.
func (q *both[T]) Get() (key T, shutdown bool) {
	key, ok := q.Queue.Get()
	return key, !ok
}

// ShutDownWithDrain ends the queue when all queued keys have been worked on or ShutDown is called.
func (q *both[T]) ShutDownWithDrain() {
	q.tasks.end()
	q.Queue.ShutDownWithDrain()
}

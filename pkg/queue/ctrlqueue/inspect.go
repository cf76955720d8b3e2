package ctrlqueue

import (
	"k8s.io/client-go/util/workqueue"

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

// both has the methods that a workqueue and a priority queue have alike.
type both[T comparable] struct {
	core  *keyqueue.Queue[T]
	tasks tasks
}

// Add adds key with priority zero.
func (q *both[T]) Add(key T) { q.core.Add(key) }

// Get waits for a key. The caller must call Done for it.
func (q *both[T]) Get() (key T, shutdown bool) {
	key, ok := q.core.Get()
	return key, !ok
}

// Done says that the caller is done with key.
func (q *both[T]) Done(key T) { q.core.Done(key) }

// Len is the number of queued keys.
func (q *both[T]) Len() int { return q.core.Len() }

// ShutDownWithDrain ends the queue when all queued keys have been worked on or ShutDown is called.
func (q *both[T]) ShutDownWithDrain() {
	q.tasks.end()
	q.core.ShutDownWithDrain()
}

// ShuttingDown reports whether the queue ignores adds.
func (q *both[T]) ShuttingDown() bool { return q.core.ShuttingDown() }

func (q *both[T]) Contents(limit int) []queue.Entry[T] { return q.core.Contents(limit) }

func (q *both[T]) Entry(key T) (queue.Entry[T], bool) { return q.core.Entry(key) }

func (q *both[T]) Stats() queue.Stats { return q.core.Stats() }

func (q *both[T]) Cancel(key T) bool { return q.core.Cancel(key) }

func (q *both[T]) Replace(o queue.AddOptions, key T) bool { return q.core.Replace(o, key) }

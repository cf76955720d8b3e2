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

// inspected has the methods that pass through as they are.
type inspected[T comparable] struct{ core *keyqueue.Queue[T] }

func (q inspected[T]) Contents(limit int) []queue.Entry[T] { return q.core.Contents(limit) }

func (q inspected[T]) Entry(key T) (queue.Entry[T], bool) { return q.core.Entry(key) }

func (q inspected[T]) Stats() queue.Stats { return q.core.Stats() }

func (q inspected[T]) Cancel(key T) bool { return q.core.Cancel(key) }

func (q inspected[T]) Replace(o queue.AddOptions, key T) bool { return q.core.Replace(o, key) }

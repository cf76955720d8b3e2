package ctrlqueue

import (
	"k8s.io/client-go/util/workqueue"

	"github.com/delta-runtime/delta-runtime/pkg/queue"
)

// Inspectable is what the queues of this package offer beyond the interfaces
// that they stand in for.
type Inspectable[T comparable] interface {
	Contents(limit int) []queue.Entry[T]  // see [queue.Queue.Contents]
	Stats() queue.Stats                   // see [queue.Queue.Stats]
	Cancel(item T) bool                   // see [queue.Queue.Cancel]
	Replace(with queue.With, item T) bool // see [queue.Queue.Replace]
}

var (
	_ Inspectable[string] = (*Typed[string])(nil)
	_ Inspectable[string] = (*PriorityQueue[string])(nil)
)

// Inspect looks into a queue that one of this package's constructors made. It
// reports false for any other, and for one that only delays adds to another.
func Inspect[T comparable](q workqueue.TypedInterface[T]) (Inspectable[T], bool) {
	if l, ok := q.(*limiting[T]); ok {
		q = l.TypedDelayingInterface
	}
	i, ok := q.(Inspectable[T])
	return i, ok
}

// inspected is the part of a queue that passes through as it is.
type inspected[T comparable] struct{ core *queue.Queue[T] }

// Contents shows up to limit items: those being worked on, those queued, those
// delayed.
func (q inspected[T]) Contents(limit int) []queue.Entry[T] { return q.core.Contents(limit) }

// Stats counts, whether or not the queue has metrics.
func (q inspected[T]) Stats() queue.Stats { return q.core.Stats() }

// Cancel takes back a delayed add, and reports whether there was one.
func (q inspected[T]) Cancel(item T) bool { return q.core.Cancel(item) }

// Replace gives item's delayed add another time and priority, later and lower
// included, and reports whether there was one.
func (q inspected[T]) Replace(with queue.With, item T) bool { return q.core.Replace(with, item) }

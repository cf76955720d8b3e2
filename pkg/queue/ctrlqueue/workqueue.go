package ctrlqueue

import (
	"k8s.io/client-go/util/workqueue"

	"github.com/delta-runtime/delta-runtime/internal/keyqueue"
)

// TypedQueueConfig has client-go's options of a queue.
type TypedQueueConfig[T comparable] = workqueue.TypedQueueConfig[T]

// TypedDelayingQueueConfig has client-go's options of a queue with delayed adds.
type TypedDelayingQueueConfig[T comparable] = workqueue.TypedDelayingQueueConfig[T]

// TypedRateLimitingQueueConfig has client-go's options of a queue with rate limited adds.
type TypedRateLimitingQueueConfig[T comparable] = workqueue.TypedRateLimitingQueueConfig[T]

// NewTyped makes a workqueue without a name, so it has no metrics.
func NewTyped[T comparable]() workqueue.TypedInterface[T] {
	return newTyped(TypedQueueConfig[T]{})
}

// NewTypedWithConfig makes a workqueue with the options c. It hands out keys in the order
// in which they were queued, or in the order that c.Queue decides.
func NewTypedWithConfig[T comparable](c TypedQueueConfig[T]) workqueue.TypedInterface[T] {
	return newTyped(c)
}

// typed is client-go's workqueue.
type typed[T comparable] struct{ both[T] }

var (
	_ workqueue.TypedInterface[any]         = (*typed[any])(nil)
	_ workqueue.TypedDelayingInterface[any] = (*delaying[any])(nil)
)

func newTyped[T comparable](c TypedQueueConfig[T]) *typed[T] {
	var metrics *pusher
	if c.Name != "" {
		p := orDefault(c.MetricsProvider)
		metrics = newPusher(c.Name, p, depthOf(c.Name, p))
	}
	return &typed[T]{newBoth(keyqueue.Options[T]{Merge: keyqueue.TimersApart, Order: c.Queue}, metrics, c.Clock)}
}

// ShutDown ends the queue; it still hands out the keys that are queued.
func (q *typed[T]) ShutDown() {
	q.tasks.end()
	q.Queue.ShutDown()
}

// DefaultQueue makes a first-in, first-out storage for a caller that wraps it and sets the
// result as TypedQueueConfig.Queue. A queue without such a storage needs none.
func DefaultQueue[T comparable]() workqueue.Queue[T] { return workqueue.DefaultQueue[T]() }

package ctrlqueue

import "k8s.io/client-go/util/workqueue"

// NewTypedRateLimitingQueueWithConfig makes a queue that adds when the limiter
// allows it. Any of client-go's limiters will do, and any other.
func NewTypedRateLimitingQueueWithConfig[T comparable](limiter workqueue.TypedRateLimiter[T], c TypedRateLimitingQueueConfig[T]) workqueue.TypedRateLimitingInterface[T] {
	if c.DelayingQueue == nil {
		c.DelayingQueue = NewTypedDelayingQueueWithConfig(TypedDelayingQueueConfig[T]{
			Name: c.Name, MetricsProvider: c.MetricsProvider, Clock: c.Clock,
		})
	}
	return &limiting[T]{TypedDelayingInterface: c.DelayingQueue, limiter: limiter}
}

// limiting asks the limiter how long to delay.
type limiting[T comparable] struct {
	workqueue.TypedDelayingInterface[T]
	limiter workqueue.TypedRateLimiter[T]
}

// AddRateLimited adds item when the limiter allows it.
func (q *limiting[T]) AddRateLimited(item T) { q.AddAfter(item, q.limiter.When(item)) }

// Forget tells the limiter that item succeeded, or is given up.
func (q *limiting[T]) Forget(item T) { q.limiter.Forget(item) }

// NumRequeues is how often item was limited since it was last forgotten.
func (q *limiting[T]) NumRequeues(item T) int { return q.limiter.NumRequeues(item) }

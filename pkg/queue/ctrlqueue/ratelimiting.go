package ctrlqueue

import "k8s.io/client-go/util/workqueue"

// NewTypedRateLimitingQueueWithConfig makes a workqueue whose AddRateLimited adds a key when
// the limiter allows it. The limiter may be one of client-go's or another.
func NewTypedRateLimitingQueueWithConfig[T comparable](limiter workqueue.TypedRateLimiter[T], c TypedRateLimitingQueueConfig[T]) workqueue.TypedRateLimitingInterface[T] {
	if c.DelayingQueue == nil {
		c.DelayingQueue = NewTypedDelayingQueueWithConfig(TypedDelayingQueueConfig[T]{
			Name: c.Name, MetricsProvider: c.MetricsProvider, Clock: c.Clock,
		})
	}
	return &limiting[T]{TypedDelayingInterface: c.DelayingQueue, limiter: limiter}
}

// limiting asks the limiter for the delay.
type limiting[T comparable] struct {
	workqueue.TypedDelayingInterface[T]
	limiter workqueue.TypedRateLimiter[T]
}

// AddRateLimited adds key when the limiter allows it.
func (q *limiting[T]) AddRateLimited(key T) { q.AddAfter(key, q.limiter.When(key)) }

// Forget tells the limiter that key succeeded, or that the caller gave up.
func (q *limiting[T]) Forget(key T) { q.limiter.Forget(key) }

// NumRequeues is the number of rate limited adds of key since the last Forget.
func (q *limiting[T]) NumRequeues(key T) int { return q.limiter.NumRequeues(key) }

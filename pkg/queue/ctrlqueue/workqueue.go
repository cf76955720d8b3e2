package ctrlqueue

import (
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"

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
type typed[T comparable] struct {
	both[T]
	metrics *pusher // nil: the queue has no name
}

var (
	_ workqueue.TypedInterface[any]         = (*typed[any])(nil)
	_ workqueue.TypedDelayingInterface[any] = (*delaying[any])(nil)
)

func newTyped[T comparable](c TypedQueueConfig[T]) *typed[T] {
	q := &typed[T]{both: both[T]{tasks: newTasks()}}
	o := keyqueue.Options[T]{Merge: keyqueue.TimersApart}
	if c.Queue != nil {
		o.Order = order[T]{c.Queue}
	}
	if c.Name != "" {
		p := orDefault(c.MetricsProvider)
		q.metrics = newPusher(c.Name, p, depthOf(c.Name, p))
		o.Observe = q.metrics.observe
	}
	keepTime(q.tasks, c.Clock, &o)
	q.core = keyqueue.New(o)
	if q.metrics != nil {
		q.tasks.every(orReal(c.Clock), updatePeriod, func() { q.metrics.update(q.core.Stats()) })
	}
	return q
}

func orReal(c clock.WithTicker) clock.WithTicker {
	if c == nil {
		return clock.RealClock{}
	}
	return c
}

// ShutDown ends the queue; it still hands out the keys that are queued.
func (q *typed[T]) ShutDown() {
	q.tasks.end()
	q.core.ShutDown()
}

// order lets client-go's storage decide which key comes next.
type order[T comparable] struct{ workqueue.Queue[T] }

// DefaultQueue makes a first-in, first-out storage for a caller that wraps it and sets the
// result as TypedQueueConfig.Queue. A queue without such a storage needs none.
func DefaultQueue[T comparable]() workqueue.Queue[T] { return new(fifo[T]) }

// fifo is a slice that is consumed from the front. When more of it is consumed than left,
// the rest is copied to the front.
type fifo[T comparable] struct {
	keys  []T
	first int // Invariant: first ≤ Len() between calls.
}

func (f *fifo[T]) Touch(T) {}

func (f *fifo[T]) Push(key T) { f.keys = append(f.keys, key) }

func (f *fifo[T]) Len() int { return len(f.keys) - f.first }

func (f *fifo[T]) Pop() T {
	key := f.keys[f.first]
	clear(f.keys[f.first : f.first+1]) // it may be a pointer
	f.first++
	if f.first > f.Len() {
		n := copy(f.keys, f.keys[f.first:])
		clear(f.keys[n:])
		f.keys, f.first = f.keys[:n], 0
	}
	return key
}

package ctrlqueue

import (
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"

	"github.com/delta-runtime/delta-runtime/pkg/queue"
)

// TypedQueueConfig is client-go's own, as the other option structs are.
type TypedQueueConfig[T comparable] = workqueue.TypedQueueConfig[T]

// TypedDelayingQueueConfig is client-go's own.
type TypedDelayingQueueConfig[T comparable] = workqueue.TypedDelayingQueueConfig[T]

// TypedRateLimitingQueueConfig is client-go's own.
type TypedRateLimitingQueueConfig[T comparable] = workqueue.TypedRateLimitingQueueConfig[T]

// Typed is client-go's workqueue: keys in the order in which they became due.
type Typed[T comparable] struct {
	inspected[T]
	tasks   tasks
	metrics *pusher // nil: the queue has no name
}

var (
	_ workqueue.TypedInterface[any]         = (*Typed[any])(nil)
	_ workqueue.TypedDelayingInterface[any] = (*delaying[any])(nil)
)

// NewTyped makes a queue without a name, hence without metrics.
func NewTyped[T comparable]() *Typed[T] {
	return NewTypedWithConfig(TypedQueueConfig[T]{})
}

// NewTypedWithConfig makes a queue as c says.
func NewTypedWithConfig[T comparable](c TypedQueueConfig[T]) *Typed[T] {
	q := &Typed[T]{tasks: newTasks()}
	o := queue.Options[T]{Merge: queue.TimersApart}
	if c.Queue != nil {
		o.Order = order[T]{c.Queue}
	}
	if c.Name != "" {
		p := orDefault(c.MetricsProvider)
		q.metrics = newPusher(c.Name, p, depthOf(c.Name, p))
		o.Observe = q.metrics.observe
	}
	keepTime(q.tasks, c.Clock, &o)
	q.core = queue.New(o)
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

// Add asks for item to be worked on.
func (q *Typed[T]) Add(item T) { q.core.Add(item) }

// Len is the number of items that Get could return now.
func (q *Typed[T]) Len() int { return q.core.Len() }

// Get waits for an item, which must be given back with Done.
func (q *Typed[T]) Get() (item T, shutdown bool) {
	item, ok := q.core.Get()
	return item, !ok
}

// Done says that the item has been worked on.
func (q *Typed[T]) Done(item T) { q.core.Done(item) }

// ShutDown ends the queue; what is queued is still handed out.
func (q *Typed[T]) ShutDown() {
	q.tasks.end()
	q.core.ShutDown()
}

// ShutDownWithDrain is ShutDown, and waits until all of it has been worked on or
// ShutDown is called.
func (q *Typed[T]) ShutDownWithDrain() {
	q.tasks.end()
	q.core.ShutDownWithDrain()
}

// ShuttingDown says whether adds are ignored.
func (q *Typed[T]) ShuttingDown() bool { return q.core.ShuttingDown() }

// order lets client-go's pluggable storage decide what comes next.
type order[T comparable] struct{ workqueue.Queue[T] }

// DefaultQueue is a first-in, first-out storage to wrap: a queue that is given
// none needs none.
func DefaultQueue[T comparable]() workqueue.Queue[T] { return new(fifo[T]) }

// fifo is a slice that is consumed from the front and copied down when more of
// it is consumed than left.
type fifo[T comparable] struct {
	items []T
	first int
}

func (f *fifo[T]) Touch(T) {}

func (f *fifo[T]) Push(item T) { f.items = append(f.items, item) }

func (f *fifo[T]) Len() int { return len(f.items) - f.first }

func (f *fifo[T]) Pop() T {
	item := f.items[f.first]
	clear(f.items[f.first : f.first+1]) // it may be a pointer
	f.first++
	if f.first > f.Len() {
		n := copy(f.items, f.items[f.first:])
		clear(f.items[n:])
		f.items, f.first = f.items[:n], 0
	}
	return item
}

package ctrlqueue

import (
	"context"
	"time"

	"github.com/go-logr/logr"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/util/workqueue"

	"github.com/delta-runtime/delta-runtime/pkg/queue"
)

// NewTypedDelayingQueueWithConfig makes a queue that can add later.
func NewTypedDelayingQueueWithConfig[T comparable](c TypedDelayingQueueConfig[T]) workqueue.TypedDelayingInterface[T] {
	if c.Queue != nil {
		return newForwarding(c)
	}
	q := NewTypedWithConfig(TypedQueueConfig[T]{Name: c.Name, MetricsProvider: c.MetricsProvider, Clock: c.Clock})
	d := &delaying[T]{Typed: q}
	if q.metrics != nil {
		d.retries = orDefault(c.MetricsProvider).NewRetriesMetric(c.Name)
	}
	return d
}

// delaying is Typed with the timers that its core has anyway.
type delaying[T comparable] struct {
	*Typed[T]
	retries workqueue.CounterMetric // nil: the queue has no name
}

// AddAfter adds item when d has passed.
func (q *delaying[T]) AddAfter(item T, d time.Duration) {
	if q.retries != nil && !q.ShuttingDown() {
		// Counted here and not by the core: to this model an add after no time at all
		// is a retry too.
		q.retries.Inc()
	}
	q.core.AddAfter(item, d)
}

// forwarding delays adds to a queue of somebody else's. A queue of ours keeps
// the timers, and a task passes on what is due.
type forwarding[T comparable] struct {
	workqueue.TypedInterface[T]
	timers  *queue.Queue[T]
	tasks   tasks
	retries workqueue.CounterMetric
}

func newForwarding[T comparable](c TypedDelayingQueueConfig[T]) *forwarding[T] {
	f := &forwarding[T]{TypedInterface: c.Queue, tasks: newTasks()}
	if c.Name != "" {
		f.retries = orDefault(c.MetricsProvider).NewRetriesMetric(c.Name)
	}
	o := queue.Options[T]{}
	keepTime(f.tasks, c.Clock, &o)
	f.timers = queue.New(o)
	f.tasks.Guest("forward", func(ctx context.Context) {
		if c.Logger != nil {
			ctx = logr.NewContext(ctx, *c.Logger)
		}
		defer utilruntime.HandleCrashWithContext(ctx)
		for {
			item, ok := f.timers.Get()
			if !ok {
				return
			}
			f.Add(item)
			f.timers.Done(item)
		}
	})
	return f
}

// AddAfter adds item to the other queue when d has passed.
func (f *forwarding[T]) AddAfter(item T, d time.Duration) {
	if f.ShuttingDown() {
		return
	}
	if f.retries != nil {
		f.retries.Inc()
	}
	if d <= 0 {
		f.Add(item)
		return
	}
	f.timers.AddAfter(item, d)
}

// ShutDown ends the other queue too.
func (f *forwarding[T]) ShutDown() {
	f.end()
	f.TypedInterface.ShutDown()
}

// ShutDownWithDrain ends the other queue too, as it does it.
func (f *forwarding[T]) ShutDownWithDrain() {
	f.end()
	f.TypedInterface.ShutDownWithDrain()
}

func (f *forwarding[T]) end() {
	f.timers.ShutDownNow()
	f.tasks.end()
}

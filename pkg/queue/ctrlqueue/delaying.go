package ctrlqueue

import (
	"context"
	"time"

	"github.com/go-logr/logr"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/util/workqueue"

	"github.com/delta-runtime/delta-runtime/internal/keyqueue"
)

// NewTypedDelayingQueueWithConfig makes a workqueue with delayed adds.
func NewTypedDelayingQueueWithConfig[T comparable](c TypedDelayingQueueConfig[T]) workqueue.TypedDelayingInterface[T] {
	if c.Queue != nil {
		return newForwarding(c)
	}
	d := &delaying[T]{typed: newTyped(TypedQueueConfig[T]{Name: c.Name, MetricsProvider: c.MetricsProvider, Clock: c.Clock})}
	if c.Name != "" {
		d.retries = orDefault(c.MetricsProvider).NewRetriesMetric(c.Name)
	}
	return d
}

// delaying is typed with the timers that its core has anyway.
type delaying[T comparable] struct {
	*typed[T]
	retries workqueue.CounterMetric // nil: the queue has no name
}

// AddAfter adds key when d has passed.
func (q *delaying[T]) AddAfter(key T, d time.Duration) {
	if q.retries != nil && !q.ShuttingDown() {
		// The core does not count an add after no time at all. This model does.
		q.retries.Inc()
	}
	q.typed.AddAfter(key, d)
}

// forwarding delays adds to another queue. A queue of ours keeps the timers, and a task
// passes on the keys that are due.
type forwarding[T comparable] struct {
	workqueue.TypedInterface[T] // the other queue
	timers                      *keyqueue.Queue[T]
	tasks                       tasks
	retries                     workqueue.CounterMetric // nil: the queue has no name
}

func newForwarding[T comparable](c TypedDelayingQueueConfig[T]) *forwarding[T] {
	f := &forwarding[T]{TypedInterface: c.Queue, tasks: newTasks()}
	if c.Name != "" {
		f.retries = orDefault(c.MetricsProvider).NewRetriesMetric(c.Name)
	}
	o := keyqueue.Options[T]{}
	keepTime(f.tasks, c.Clock, &o)
	f.timers = keyqueue.New(o)
	f.tasks.Guest("forward", func(ctx context.Context) {
		if c.Logger != nil {
			ctx = logr.NewContext(ctx, *c.Logger)
		}
		defer utilruntime.HandleCrashWithContext(ctx)
		for {
			key, ok := f.timers.Get()
			if !ok {
				return
			}
			f.Add(key)
			f.timers.Done(key)
		}
	})
	return f
}

// AddAfter adds key to the other queue when d has passed.
func (f *forwarding[T]) AddAfter(key T, d time.Duration) {
	if f.ShuttingDown() {
		return
	}
	if f.retries != nil {
		f.retries.Inc()
	}
	if d <= 0 {
		f.Add(key)
		return
	}
	f.timers.AddAfter(key, d)
}

// ShutDown ends the other queue too.
func (f *forwarding[T]) ShutDown() {
	f.end()
	f.TypedInterface.ShutDown()
}

// ShutDownWithDrain ends the other queue with its own ShutDownWithDrain.
func (f *forwarding[T]) ShutDownWithDrain() {
	f.end()
	f.TypedInterface.ShutDownWithDrain()
}

func (f *forwarding[T]) end() {
	f.timers.ShutDownNow()
	f.tasks.end()
}

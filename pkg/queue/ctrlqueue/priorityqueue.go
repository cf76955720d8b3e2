package ctrlqueue

import (
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/delta-runtime/delta-runtime/pkg/queue"
)

// Opts are the options of a PriorityQueue. The first three are
// controller-runtime's, under its names.
type Opts[T comparable] struct {
	RateLimiter    workqueue.TypedRateLimiter[T] // per item from 5ms to 1000s if nil
	MetricProvider workqueue.MetricsProvider     // controller-runtime's metrics if nil
	Log            logr.Logger                   // told the contents every 10s, at verbosity 5

	Ageing queue.Ageing // how priorities are kept from starving anybody
}

// Opt sets options.
type Opt[T comparable] func(*Opts[T])

// PriorityQueue is controller-runtime's priority queue.
type PriorityQueue[T comparable] struct {
	inspected[T]
	tasks tasks
}

var _ priorityqueue.PriorityQueue[string] = (*PriorityQueue[string])(nil)

// NewQueue has the shape of controller.Options.NewQueue: the smallest step that
// makes a controller use this queue.
func NewQueue[T comparable](name string, limiter workqueue.TypedRateLimiter[T]) workqueue.TypedRateLimitingInterface[T] {
	return New(name, func(o *Opts[T]) { o.RateLimiter = limiter })
}

const (
	logPeriod    = 10 * time.Second
	logVerbosity = 5
	logLimit     = 1000 // keys in one log entry
)

// New makes a PriorityQueue. Without a name it has no metrics.
func New[T comparable](name string, o ...Opt[T]) *PriorityQueue[T] {
	var opts Opts[T]
	for _, set := range o {
		set(&opts)
	}
	if opts.RateLimiter == nil {
		opts.RateLimiter = workqueue.NewTypedItemExponentialFailureRateLimiter[T](5*time.Millisecond, 1000*time.Second)
	}
	q := &PriorityQueue[T]{tasks: newTasks()}
	options := queue.Options[T]{Merge: queue.OnePerKey, Ageing: opts.Ageing, Limiter: opts.RateLimiter}
	var metrics *pusher
	if name != "" {
		p := orDefault(opts.MetricProvider)
		metrics = newPusher(name, p, depthByPriority(name, p))
		metrics.retries = p.NewRetriesMetric(name)
		options.Observe = metrics.observe
	}
	q.core = queue.New(options)
	if metrics != nil {
		q.tasks.every(clock.RealClock{}, updatePeriod, func() { metrics.update(q.core.Stats()) })
	}
	if opts.Log.GetSink() != nil {
		q.tasks.every(clock.RealClock{}, logPeriod, func() { q.log(opts.Log) })
	}
	return q
}

// log asks each time whether the level is on: levels change while running.
func (q *PriorityQueue[T]) log(l logr.Logger) {
	if l = l.V(logVerbosity); l.Enabled() {
		l.Info("workqueue_items", "items", q.core.Contents(logLimit))
	}
}

// AddWithOpts adds items as o says. Of what was asked for before, the highest
// priority and the earliest time stay.
func (q *PriorityQueue[T]) AddWithOpts(o priorityqueue.AddOpts, items ...T) {
	with := queue.With{After: o.After}
	if o.Priority != nil {
		with.Priority = *o.Priority
	}
	if o.RateLimited {
		q.core.AddLimited(with, items...)
		return
	}
	q.core.AddWith(with, items...)
}

// Add adds item with priority zero.
func (q *PriorityQueue[T]) Add(item T) { q.core.Add(item) }

// AddAfter adds item when d has passed.
func (q *PriorityQueue[T]) AddAfter(item T, d time.Duration) { q.core.AddAfter(item, d) }

// AddRateLimited adds item when the limiter allows it.
func (q *PriorityQueue[T]) AddRateLimited(item T) { q.core.AddLimited(queue.With{}, item) }

// Forget tells the limiter that item succeeded.
func (q *PriorityQueue[T]) Forget(item T) { q.core.Forget(item) }

// NumRequeues is how often item was limited since it was last forgotten.
func (q *PriorityQueue[T]) NumRequeues(item T) int { return q.core.NumRequeues(item) }

// Get waits for an item, which must be given back with Done.
func (q *PriorityQueue[T]) Get() (item T, shutdown bool) {
	item, ok := q.core.Get()
	return item, !ok
}

// GetWithPriority is Get, and says which priority the item was added with.
func (q *PriorityQueue[T]) GetWithPriority() (item T, priority int, shutdown bool) {
	item, priority, ok := q.core.Take()
	return item, priority, !ok
}

// Done says that the item has been worked on.
func (q *PriorityQueue[T]) Done(item T) { q.core.Done(item) }

// Len is the number of items that are due.
func (q *PriorityQueue[T]) Len() int { return q.core.Len() }

// ShutDown ends the queue: nothing is handed out any more.
func (q *PriorityQueue[T]) ShutDown() {
	q.tasks.end()
	q.core.ShutDownNow()
}

// ShutDownWithDrain ends the queue when everything that is due has been worked
// on, or ShutDown is called.
func (q *PriorityQueue[T]) ShutDownWithDrain() {
	q.tasks.end()
	q.core.ShutDownWithDrain()
}

// ShuttingDown says whether adds are ignored.
func (q *PriorityQueue[T]) ShuttingDown() bool { return q.core.ShuttingDown() }

package ctrlqueue

import (
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/delta-runtime/delta-runtime/internal/keyqueue"
	"github.com/delta-runtime/delta-runtime/pkg/queue"
)

// PriorityQueue is controller-runtime's priority queue, which can be inspected.
type PriorityQueue[T comparable] interface {
	priorityqueue.PriorityQueue[T]
	Inspectable[T]
}

// Opts are the options of a [PriorityQueue]. The first three are controller-runtime's,
// under its names.
type Opts[T comparable] struct {
	RateLimiter    workqueue.TypedRateLimiter[T] // per key from 5ms to 1000s if nil
	MetricProvider workqueue.MetricsProvider     // controller-runtime's metrics if nil
	Log            logr.Logger                   // gets the contents every 10s, at verbosity 5

	Ageing queue.Ageing // keeps high priorities from starving low ones
}

// Opt sets options.
type Opt[T comparable] func(*Opts[T])

// NewQueue makes a [PriorityQueue]. Its type is that of controller.Options.NewQueue, so it
// makes a controller use this queue.
func NewQueue[T comparable](name string, limiter workqueue.TypedRateLimiter[T]) workqueue.TypedRateLimitingInterface[T] {
	return New(name, func(o *Opts[T]) { o.RateLimiter = limiter })
}

const (
	logPeriod    = 10 * time.Second
	logVerbosity = 5
	logLimit     = 1000 // keys in one log entry
)

// New makes a [PriorityQueue]. Without a name it has no metrics.
func New[T comparable](name string, o ...Opt[T]) PriorityQueue[T] {
	var opts Opts[T]
	for _, set := range o {
		set(&opts)
	}
	if opts.RateLimiter == nil {
		opts.RateLimiter = workqueue.NewTypedItemExponentialFailureRateLimiter[T](5*time.Millisecond, 1000*time.Second)
	}
	var metrics *pusher
	if name != "" {
		p := orDefault(opts.MetricProvider)
		metrics = newPusher(name, p, depthByPriority(name, p))
		metrics.retries = p.NewRetriesMetric(name)
	}
	options := keyqueue.Options[T]{Merge: keyqueue.OnePerKey, Ageing: opts.Ageing}
	q := &priorityQueue[T]{newBoth(options, metrics, nil), opts.RateLimiter}
	if opts.Log.GetSink() != nil {
		q.tasks.every(nil, logPeriod, func() { q.log(opts.Log) })
	}
	return q
}

type priorityQueue[T comparable] struct {
	both[T]
	limiter workqueue.TypedRateLimiter[T]
}

// log asks each time whether the level is on, because levels change while a program runs.
func (q *priorityQueue[T]) log(l logr.Logger) {
	if l = l.V(logVerbosity); l.Enabled() {
		l.Info("workqueue_items", "items", q.Contents(logLimit))
	}
}

// AddWithOpts adds keys with the options o. A key keeps the highest priority and the
// earliest time of all its adds. A
// rate limited one comes when the limiter allows it, or after o.After if that is set and sooner.
func (q *priorityQueue[T]) AddWithOpts(o priorityqueue.AddOpts, keys ...T) {
	options := queue.AddOptions{After: o.After}
	if o.Priority != nil {
		options.Priority = *o.Priority
	}
	if !o.RateLimited {
		q.AddWithOptions(options, keys...)
		return
	}
	if q.ShuttingDown() {
		return
	}
	for _, key := range keys {
		limited := options
		if d := q.limiter.When(key); o.After == 0 || d < o.After {
			limited.After = d
		}
		q.AddWithOptions(limited, key)
	}
}

// AddRateLimited adds key when the limiter allows it.
func (q *priorityQueue[T]) AddRateLimited(key T) {
	q.AddWithOpts(priorityqueue.AddOpts{RateLimited: true}, key)
}

// Forget tells the limiter that key succeeded.
func (q *priorityQueue[T]) Forget(key T) { q.limiter.Forget(key) }

// NumRequeues is the number of rate limited adds of key since the last Forget.
func (q *priorityQueue[T]) NumRequeues(key T) int { return q.limiter.NumRequeues(key) }

// Contents adds what the limiter knows.
func (q *priorityQueue[T]) Contents(limit int) []queue.Entry[T] {
	all := q.Queue.Contents(limit)
	for i := range all {
		all[i].Attempts = q.NumRequeues(all[i].Key)
	}
	return all
}

// Entry adds what the limiter knows.
func (q *priorityQueue[T]) Entry(key T) (queue.Entry[T], bool) {
	e, there := q.Queue.Entry(key)
	if there {
		e.Attempts = q.NumRequeues(key)
	}
	return e, there
}

// GetWithPriority is Get, and also returns the priority with which the key was queued.
func (q *priorityQueue[T]) GetWithPriority() (key T, priority int, shutdown bool) {
	key, priority, ok := q.Queue.GetWithPriority()
	return key, priority, !ok
}

// ShutDown ends the queue; it hands out nothing more.
func (q *priorityQueue[T]) ShutDown() {
	q.tasks.end()
	q.ShutDownNow()
}

package recording

import (
	"slices"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/delta-runtime/delta-runtime/internal/ledger"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Reason says why a handler adds requests in one delivery, and which of them a resync leaves out.
//
// Invariant: nobody changes a Reason that a queue has. A handler may keep the queue. If it
// adds something after the delivery, from any goroutine, that is added for the same reason.
type Reason[R comparable] struct {
	Ledger   *delta.Ledger[R]
	Delivery ledger.Delivery[R] // nil: the requests belong to no delivery, but to Change
	Change   delta.Change       // counts where there is no Delivery

	Rest time.Duration // leaves out requests that have succeeded more recently
}

// NewQueue returns a queue that records each request before it adds it to another queue. If that one has no priorities, it ignores
// them, as controllers do.
func NewQueue[R comparable](to workqueue.TypedRateLimitingInterface[R], because Reason[R]) priorityqueue.PriorityQueue[R] {
	return newQueue(to, because)
}

func newQueue[R comparable](to workqueue.TypedRateLimitingInterface[R], because Reason[R]) *recordingQueue[R] {
	priorities, ok := to.(priorityqueue.PriorityQueue[R])
	if !ok {
		priorities = withoutPriorities[R]{to}
	}
	return &recordingQueue[R]{priorities, because}
}

// recorder is any recording queue.
type recorder[R comparable] interface {
	// recordsFor returns the queue that it adds to, and the ledger.
	recordsFor() (workqueue.TypedRateLimitingInterface[R], *delta.Ledger[R])
}

// Unwrap takes the queue that a source was started with. It returns the queue to which the
// source adds, and the ledger in which it records why. The ledger is nil if there is none.
func Unwrap[R comparable](queue workqueue.TypedRateLimitingInterface[R]) (workqueue.TypedRateLimitingInterface[R], *delta.Ledger[R]) {
	if r, ok := queue.(recorder[R]); ok {
		return r.recordsFor()
	}
	return queue, nil
}

// leftOut reports whether a request need not be added.
func (r *Reason[R]) leftOut(item R) bool {
	return r.Rest > 0 && r.Ledger.Clerk().Rests(item, r.Rest)
}

func (r *Reason[R]) record(item R) {
	if r.Delivery != nil {
		r.Delivery.Record(item)
		return
	}
	c := r.Change
	if c.First.IsZero() { // of no delta
		c.First = time.Now()
		c.Last = c.First
	}
	r.Ledger.Clerk().Record(item, c)
}

// landed notes that a request is in the queue, or will be later.
func (r *Reason[R]) landed(item R, later bool) { //nolint:revive // it is there now or later
	if clerk := r.Ledger.Clerk(); later {
		clerk.LandedLater(item)
	} else {
		clerk.Landed(item)
	}
}

// around records a request that add adds.
func (r *Reason[R]) around(item R, later bool, add func()) {
	if r.leftOut(item) {
		return
	}
	r.record(item)
	add()
	r.landed(item, later)
}

// recordingQueue records what somebody adds through it.
type recordingQueue[R comparable] struct {
	priorityqueue.PriorityQueue[R] // whose other methods add nothing
	because                        Reason[R]
}

var (
	_ recorder[string]                    = &recordingQueue[string]{}
	_ priorityqueue.PriorityQueue[string] = &recordingQueue[string]{}
)

func (q *recordingQueue[R]) recordsFor() (workqueue.TypedRateLimitingInterface[R], *delta.Ledger[R]) {
	return q.PriorityQueue, q.because.Ledger
}

// Add records the request and adds it.
func (q *recordingQueue[R]) Add(item R) {
	q.because.around(item, false, func() { q.PriorityQueue.Add(item) })
}

// AddAfter records the request and adds it.
func (q *recordingQueue[R]) AddAfter(item R, after time.Duration) {
	q.because.around(item, after > 0, func() { q.PriorityQueue.AddAfter(item, after) })
}

// AddRateLimited records the request and adds it.
func (q *recordingQueue[R]) AddRateLimited(item R) {
	q.because.around(item, true, func() { q.PriorityQueue.AddRateLimited(item) })
}

// AddWithOpts records the requests and adds them.
func (q *recordingQueue[R]) AddWithOpts(o priorityqueue.AddOpts, items ...R) {
	if q.because.Rest > 0 {
		items = slices.DeleteFunc(slices.Clone(items), q.because.leftOut)
	}
	for _, item := range items {
		q.because.record(item)
	}
	q.PriorityQueue.AddWithOpts(o, items...)
	for _, item := range items {
		q.because.landed(item, o.RateLimited || o.After > 0)
	}
}

// withoutPriorities shows a queue as one with priorities, which it ignores.
type withoutPriorities[R comparable] struct {
	workqueue.TypedRateLimitingInterface[R]
}

// AddWithOpts follows the options, except the priority.
func (q withoutPriorities[R]) AddWithOpts(o priorityqueue.AddOpts, items ...R) {
	for _, item := range items {
		switch {
		case o.RateLimited:
			q.AddRateLimited(item)
		case o.After > 0:
			q.AddAfter(item, o.After)
		default:
			q.Add(item)
		}
	}
}

// GetWithPriority returns no priority.
func (q withoutPriorities[R]) GetWithPriority() (item R, priority int, shutdown bool) {
	item, shutdown = q.Get()
	return item, 0, shutdown
}

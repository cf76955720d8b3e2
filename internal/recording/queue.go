package recording

import (
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

// NewQueue returns a queue that records each request before it adds it to another queue. It
// is a PriorityQueue exactly if the other one is: controller-runtime's handlers look whether
// they have one, and give priorities if so.
func NewQueue[R comparable](to workqueue.TypedRateLimitingInterface[R], because Reason[R]) workqueue.TypedRateLimitingInterface[R] {
	if priorities, ok := to.(priorityqueue.PriorityQueue[R]); ok {
		return &priorityQueue[R]{PriorityQueue: priorities, because: because}
	}
	return &plainQueue[R]{TypedRateLimitingInterface: to, because: because}
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

func (r *Reason[R]) landed(item R) {
	r.Ledger.Clerk().Landed(item)
}

func (r *Reason[R]) landedLater(item R) {
	r.Ledger.Clerk().LandedLater(item)
}

// adder is what adds to a queue.
type adder[R comparable] interface {
	Add(item R)
	AddAfter(item R, after time.Duration)
	AddRateLimited(item R)
}

func (r *Reason[R]) add(to adder[R], item R) {
	if r.leftOut(item) {
		return
	}
	r.record(item)
	to.Add(item)
	r.landed(item)
}

func (r *Reason[R]) addAfter(to adder[R], item R, after time.Duration) {
	if r.leftOut(item) {
		return
	}
	r.record(item)
	to.AddAfter(item, after)
	if after > 0 {
		r.landedLater(item)
	} else {
		r.landed(item)
	}
}

func (r *Reason[R]) addRateLimited(to adder[R], item R) {
	if r.leftOut(item) {
		return
	}
	r.record(item)
	to.AddRateLimited(item)
	r.landedLater(item)
}

// plainQueue records what somebody adds through it.
type plainQueue[R comparable] struct {
	workqueue.TypedRateLimitingInterface[R] // whose other methods add nothing
	because                                 Reason[R]
}

var _ recorder[string] = &plainQueue[string]{}

func (q *plainQueue[R]) recordsFor() (workqueue.TypedRateLimitingInterface[R], *delta.Ledger[R]) {
	return q.TypedRateLimitingInterface, q.because.Ledger
}

// Add records the request and adds it.
func (q *plainQueue[R]) Add(item R) { q.because.add(q.TypedRateLimitingInterface, item) }

// AddAfter records the request and adds it.
func (q *plainQueue[R]) AddAfter(item R, after time.Duration) {
	q.because.addAfter(q.TypedRateLimitingInterface, item, after)
}

// AddRateLimited records the request and adds it.
func (q *plainQueue[R]) AddRateLimited(item R) {
	q.because.addRateLimited(q.TypedRateLimitingInterface, item)
}

// priorityQueue is a plainQueue over a queue with priorities.
type priorityQueue[R comparable] struct {
	priorityqueue.PriorityQueue[R]
	because Reason[R]
}

var (
	_ recorder[string]                    = &priorityQueue[string]{}
	_ priorityqueue.PriorityQueue[string] = &priorityQueue[string]{}
)

func (q *priorityQueue[R]) recordsFor() (workqueue.TypedRateLimitingInterface[R], *delta.Ledger[R]) {
	return q.PriorityQueue, q.because.Ledger
}

// Add records the request and adds it.
func (q *priorityQueue[R]) Add(item R) { q.because.add(q.PriorityQueue, item) }

// AddAfter records the request and adds it.
func (q *priorityQueue[R]) AddAfter(item R, after time.Duration) {
	q.because.addAfter(q.PriorityQueue, item, after)
}

// AddRateLimited records the request and adds it.
func (q *priorityQueue[R]) AddRateLimited(item R) {
	q.because.addRateLimited(q.PriorityQueue, item)
}

// AddWithOpts records the requests and adds them.
func (q *priorityQueue[R]) AddWithOpts(o priorityqueue.AddOpts, items ...R) {
	if q.because.Rest > 0 {
		items = q.rested(items)
	}
	for _, item := range items {
		q.because.record(item)
	}
	q.PriorityQueue.AddWithOpts(o, items...)
	for _, item := range items {
		if o.RateLimited || o.After > 0 {
			q.because.landedLater(item)
		} else {
			q.because.landed(item)
		}
	}
}

// rested returns the requests that have to be added.
func (q *priorityQueue[R]) rested(items []R) []R {
	var remaining []R
	for _, item := range items {
		if !q.because.leftOut(item) {
			remaining = append(remaining, item)
		}
	}
	return remaining
}

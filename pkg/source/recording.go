package source

import (
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// why is for what the requests are that are added in one delivery. It does not change
// once there is a queue with it, so that a handler which keeps the queue and adds to it
// when the delivery is long over, from whatever goroutine, adds for the same reason.
type why[R comparable] struct {
	ledger   *delta.Ledger[R]   // nil: nothing is recorded
	delivery *delta.Delivery[R] // nil: the change is of no delivery
	change   delta.Change       // where there is no delivery

	// Of a Sync, by its resync's policy:
	lane *int          // in place of the low priority; nil if there is none
	rest time.Duration // leaves out requests that have succeeded more recently
}

// newRecordingQueue returns a queue that adds to another one and says why. It is a
// PriorityQueue exactly if that one is: controller-runtime's handlers look whether
// they have one, and give priorities if so.
func newRecordingQueue[R comparable](to workqueue.TypedRateLimitingInterface[R], because why[R]) workqueue.TypedRateLimitingInterface[R] {
	if priorities, ok := to.(priorityqueue.PriorityQueue[R]); ok {
		return &recordingPriorityQueue[R]{PriorityQueue: priorities, why: because}
	}
	return &recordingQueue[R]{TypedRateLimitingInterface: to, why: because}
}

// recorder is either kind of recording queue.
type recorder[R comparable] interface {
	// recordsFor returns the queue that is added to, and the ledger.
	recordsFor() (workqueue.TypedRateLimitingInterface[R], *delta.Ledger[R])
}

// unwrap returns what a source is to do with the queue that it was started with: to
// which one it adds, and where it records why, if anywhere.
func unwrap[R comparable](queue workqueue.TypedRateLimitingInterface[R]) (workqueue.TypedRateLimitingInterface[R], *delta.Ledger[R]) {
	if r, ok := queue.(recorder[R]); ok {
		return r.recordsFor()
	}
	return queue, nil
}

// leftOut reports whether the request need not be added.
func (w *why[R]) leftOut(item R) bool {
	if w.rest <= 0 || w.ledger == nil {
		return false
	}
	last, ok := w.ledger.LastSuccess(item)
	return ok && time.Since(last) < w.rest
}

func (w *why[R]) record(item R) {
	switch {
	case w.ledger == nil:
		return
	case w.delivery != nil:
		w.delivery.Record(item)
		return
	}
	c := w.change
	if c.First.IsZero() { // of no delta
		c.First = time.Now()
		c.Last = c.First
	}
	w.ledger.Record(item, c)
}

func (w *why[R]) landed(item R) {
	if w.ledger != nil {
		w.ledger.Landed(item)
	}
}

func (w *why[R]) landedLater(item R) {
	if w.ledger != nil {
		w.ledger.LandedLater(item)
	}
}

// adder is the part of a queue that recording is about.
type adder[R comparable] interface {
	Add(item R)
	AddAfter(item R, after time.Duration)
	AddRateLimited(item R)
}

func (w *why[R]) add(to adder[R], item R) {
	if w.leftOut(item) {
		return
	}
	w.record(item)
	to.Add(item)
	w.landed(item)
}

func (w *why[R]) addAfter(to adder[R], item R, after time.Duration) {
	if w.leftOut(item) {
		return
	}
	w.record(item)
	to.AddAfter(item, after)
	if after > 0 {
		w.landedLater(item)
	} else {
		w.landed(item)
	}
}

func (w *why[R]) addRateLimited(to adder[R], item R) {
	if w.leftOut(item) {
		return
	}
	w.record(item)
	to.AddRateLimited(item)
	w.landedLater(item)
}

// recordingQueue records what is added through it.
type recordingQueue[R comparable] struct {
	workqueue.TypedRateLimitingInterface[R] // all that adds nothing is passed through
	why                                     why[R]
}

var _ recorder[string] = &recordingQueue[string]{}

func (q *recordingQueue[R]) recordsFor() (workqueue.TypedRateLimitingInterface[R], *delta.Ledger[R]) {
	return q.TypedRateLimitingInterface, q.why.ledger
}

// Add records, and adds.
func (q *recordingQueue[R]) Add(item R) { q.why.add(q.TypedRateLimitingInterface, item) }

// AddAfter records, and adds.
func (q *recordingQueue[R]) AddAfter(item R, after time.Duration) {
	q.why.addAfter(q.TypedRateLimitingInterface, item, after)
}

// AddRateLimited records, and adds.
func (q *recordingQueue[R]) AddRateLimited(item R) {
	q.why.addRateLimited(q.TypedRateLimitingInterface, item)
}

// recordingPriorityQueue is recordingQueue over a queue with priorities.
type recordingPriorityQueue[R comparable] struct {
	priorityqueue.PriorityQueue[R]
	why why[R]
}

var (
	_ recorder[string]                    = &recordingPriorityQueue[string]{}
	_ priorityqueue.PriorityQueue[string] = &recordingPriorityQueue[string]{}
)

func (q *recordingPriorityQueue[R]) recordsFor() (workqueue.TypedRateLimitingInterface[R], *delta.Ledger[R]) {
	return q.PriorityQueue, q.why.ledger
}

// Add records, and adds.
func (q *recordingPriorityQueue[R]) Add(item R) { q.why.add(q.inLane(), item) }

// AddAfter records, and adds.
func (q *recordingPriorityQueue[R]) AddAfter(item R, after time.Duration) {
	q.why.addAfter(q.inLane(), item, after)
}

// AddRateLimited records, and adds.
func (q *recordingPriorityQueue[R]) AddRateLimited(item R) { q.why.addRateLimited(q.inLane(), item) }

// AddWithOpts records, and adds.
func (q *recordingPriorityQueue[R]) AddWithOpts(o priorityqueue.AddOpts, items ...R) {
	if q.why.lane != nil && (o.Priority == nil || *o.Priority == handler.LowPriority) {
		o.Priority = q.why.lane // what a handler chose on purpose stays
	}
	if q.why.rest > 0 {
		items = q.rested(items)
	}
	for _, item := range items {
		q.why.record(item)
	}
	q.PriorityQueue.AddWithOpts(o, items...)
	for _, item := range items {
		if o.RateLimited || o.After > 0 {
			q.why.landedLater(item)
		} else {
			q.why.landed(item)
		}
	}
}

// rested leaves out what need not be added.
func (q *recordingPriorityQueue[R]) rested(items []R) []R {
	var remaining []R
	for _, item := range items {
		if !q.why.leftOut(item) {
			remaining = append(remaining, item)
		}
	}
	return remaining
}

// inLane is the queue, or its lane if the policy has one.
func (q *recordingPriorityQueue[R]) inLane() adder[R] {
	if q.why.lane == nil {
		return q.PriorityQueue
	}
	return lane[R]{to: q.PriorityQueue, priority: q.why.lane}
}

// lane adds at a priority what is added without one.
type lane[R comparable] struct {
	to       priorityqueue.PriorityQueue[R]
	priority *int
}

// Add adds at the lane's priority.
func (l lane[R]) Add(item R) {
	l.to.AddWithOpts(priorityqueue.AddOpts{Priority: l.priority}, item)
}

// AddAfter adds at the lane's priority.
func (l lane[R]) AddAfter(item R, after time.Duration) {
	l.to.AddWithOpts(priorityqueue.AddOpts{Priority: l.priority, After: after}, item)
}

// AddRateLimited adds at the lane's priority.
func (l lane[R]) AddRateLimited(item R) {
	l.to.AddWithOpts(priorityqueue.AddOpts{Priority: l.priority, RateLimited: true}, item)
}

package source

import (
	"sync"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// ControllerQueue is the queue of a controller that has a ledger. Nothing gets into the
// queue behind the ledger's back: our sources say for which change they add a request,
// what anybody else adds is recorded as [delta.External], and what the controller itself
// adds, after an error or for a timer, is no change.
type ControllerQueue[R comparable] struct {
	recordingPriorityQueue[R]

	mu    sync.Mutex // guards again
	again map[R]bool // requests that the controller may add once more; at most one for each worker
}

var (
	_ recorder[string]                    = &ControllerQueue[string]{}
	_ priorityqueue.PriorityQueue[string] = &ControllerQueue[string]{}
)

// NewControllerQueue returns the queue with a ledger before it. A queue without priorities
// is used without, as controllers do it.
func NewControllerQueue[R comparable](to workqueue.TypedRateLimitingInterface[R], ledger *delta.Ledger[R]) *ControllerQueue[R] {
	priorities, ok := to.(priorityqueue.PriorityQueue[R])
	if !ok {
		priorities = withoutPriorities[R]{to}
	}
	because := why[R]{ledger: ledger, change: delta.Change{Cause: delta.External}}
	return &ControllerQueue[R]{
		recordingPriorityQueue: recordingPriorityQueue[R]{PriorityQueue: priorities, why: because},
		again:                  map[R]bool{},
	}
}

// recordsFor returns the queue as it is, so that handlers are given one with priorities only
// if it has them.
func (q *ControllerQueue[R]) recordsFor() (workqueue.TypedRateLimitingInterface[R], *delta.Ledger[R]) {
	if plain, ok := q.PriorityQueue.(withoutPriorities[R]); ok {
		return plain.TypedRateLimitingInterface, q.why.ledger
	}
	return q.recordingPriorityQueue.recordsFor()
}

// MayAddAgain says that the controller, which has the request, may add it once more before
// it is done with it.
func (q *ControllerQueue[R]) MayAddAgain(item R) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.again[item] = true
}

// Done is called by the controller.
func (q *ControllerQueue[R]) Done(item R) {
	q.isAgain(item)
	q.PriorityQueue.Done(item)
}

// isAgain reports whether it is the controller that adds the request.
func (q *ControllerQueue[R]) isAgain(item R) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	again := q.again[item]
	delete(q.again, item)
	return again
}

// AddWithOpts is what controllers add with. They add one request at a time.
func (q *ControllerQueue[R]) AddWithOpts(o priorityqueue.AddOpts, items ...R) {
	if len(items) == 1 && (o.RateLimited || o.After > 0) && q.isAgain(items[0]) {
		q.PriorityQueue.AddWithOpts(o, items...)
		return
	}
	q.recordingPriorityQueue.AddWithOpts(o, items...)
}

// withoutPriorities shows a queue as one with priorities, which it ignores.
type withoutPriorities[R comparable] struct {
	workqueue.TypedRateLimitingInterface[R]
}

// AddWithOpts adds as the options say, but for the priority.
func (q withoutPriorities[R]) AddWithOpts(o priorityqueue.AddOpts, items ...R) {
	for _, item := range items {
		switch {
		case o.RateLimited:
			q.AddRateLimited(item)
		case o.After > time.Duration(0):
			q.AddAfter(item, o.After)
		default:
			q.Add(item)
		}
	}
}

// GetWithPriority gets without one.
func (q withoutPriorities[R]) GetWithPriority() (item R, priority int, shutdown bool) {
	item, shutdown = q.Get()
	return item, 0, shutdown
}

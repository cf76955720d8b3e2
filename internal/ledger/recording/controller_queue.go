package recording

import (
	"sync"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// ControllerQueue is the queue of a controller that has a ledger. Nobody adds to the queue
// without the ledger. Our sources say what change they add a request for. A request that
// anybody else adds is [delta.External]. A request that the controller itself adds, after an
// error or for a timer, does not stand for a change, and is not recorded.
type ControllerQueue[R comparable] struct {
	recordingQueue[R]

	// OnShutDown is called once, when the queue is told to shut down. It may be nil.
	OnShutDown func()
	down       sync.Once

	mu    lock.Mutex[lock.ControllerQueue] // guards again
	again map[R]bool                       // Invariant: at most one for each worker. The controller may add these once more.
}

// NewControllerQueue returns a queue that records in the ledger and adds to another queue, as [NewQueue]'s.
func NewControllerQueue[R comparable](to workqueue.TypedRateLimitingInterface[R], ledger *delta.Ledger[R]) *ControllerQueue[R] {
	because := Reason[R]{Ledger: ledger, Change: delta.Change{Cause: delta.External}}
	return &ControllerQueue[R]{recordingQueue: *newQueue(to, because), again: map[R]bool{}}
}

// ShutDown is the other queue's.
func (q *ControllerQueue[R]) ShutDown() {
	q.ending()
	q.PriorityQueue.ShutDown()
}

// ShutDownWithDrain is the other queue's.
func (q *ControllerQueue[R]) ShutDownWithDrain() {
	q.ending()
	q.PriorityQueue.ShutDownWithDrain()
}

func (q *ControllerQueue[R]) ending() {
	q.down.Do(func() {
		if q.OnShutDown != nil {
			q.OnShutDown()
		}
	})
}

// MayAddAgain is for a request that the controller works on. The controller may add it once
// more before it is done with it, and that is not recorded.
func (q *ControllerQueue[R]) MayAddAgain(item R) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.again[item] = true
}

// Done ends the work on a request.
func (q *ControllerQueue[R]) Done(item R) {
	q.isAgain(item)
	q.PriorityQueue.Done(item)
}

// isAgain reports whether the controller itself adds the request.
func (q *ControllerQueue[R]) isAgain(item R) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	again := q.again[item]
	delete(q.again, item)
	return again
}

// AddWithOpts adds requests. Controllers add theirs with it, one at a time.
func (q *ControllerQueue[R]) AddWithOpts(o priorityqueue.AddOpts, items ...R) {
	if len(items) == 1 && (o.RateLimited || o.After > 0) && q.isAgain(items[0]) {
		q.PriorityQueue.AddWithOpts(o, items...)
		return
	}
	q.recordingQueue.AddWithOpts(o, items...)
}

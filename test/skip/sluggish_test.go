package skip

import (
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/pkg/queue/ctrlqueue"
)

// sluggishQueue is our queue for workers that pause between getting a request and handling
// it. So more changes can be recorded and added for it meanwhile.
func (o *operator) sluggishQueue(name string, limiter workqueue.TypedRateLimiter[reconcile.Request]) queue {
	made := ctrlqueue.NewQueue(name, limiter)
	return &sluggish{PriorityQueue: made.(priorityqueue.PriorityQueue[reconcile.Request]), operator: o}
}

type sluggish struct {
	priorityqueue.PriorityQueue[reconcile.Request]
	operator *operator
}

// GetWithPriority gets a request, and then pauses.
func (q *sluggish) GetWithPriority() (r reconcile.Request, priority int, shutdown bool) {
	r, priority, shutdown = q.PriorityQueue.GetWithPriority()
	if !shutdown {
		o := q.operator
		o.mu.Lock()
		number := o.calls[r]
		o.mu.Unlock()
		time.Sleep(o.dice.pause(20*time.Millisecond, "sluggish", o.temper, r, number))
	}
	return r, priority, shutdown
}

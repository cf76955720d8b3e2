// Package ctrlqueue shows a [queue.Queue] as client-go's workqueue and as
// controller-runtime's priority queue, so that either can be replaced by calling
// another constructor.
//
//	workqueue.TypedInterface               NewTyped, NewTypedWithConfig
//	workqueue.TypedDelayingInterface       NewTypedDelayingQueueWithConfig
//	workqueue.TypedRateLimitingInterface   NewTypedRateLimitingQueueWithConfig
//	priorityqueue.PriorityQueue            New, NewQueue
//
//	     your controller
//	           │ client-go's or controller-runtime's interface
//	           ▼
//	  Typed / PriorityQueue ──Contents, Stats, Cancel, Replace──▶ inspection
//	           │                        (what the foreign interfaces lack)
//	           ▼
//	     queue.Queue ──events──▶ pusher ──▶ MetricsProvider
//
// A controller takes it by one line:
//
//	ctrl.NewControllerManagedBy(mgr).WithOptions(controller.Options{NewQueue: ctrlqueue.NewQueue[reconcile.Request]})
//
// The two models differ, and so do the two merge policies beneath: a workqueue
// keeps timers apart from queued work and knows no priority; the priority queue
// has one entry per key, at the highest priority and the earliest time.
//
// Rate limiters are client-go's own and plug in unchanged.
//
// # Differences that can be seen
//
// ShutDownWithDrain waits until nothing is queued and nothing is being worked on,
// as client-go documents it; client-go's returns as soon as nothing is being
// worked on, and controller-runtime's does not wait. A queue that no worker ever took from is
// not waited for. Calling ShutDown twice does nothing, where controller-runtime's
// panics. ShutDown takes effect at once on delayed adds of either model.
// Done of an item that nobody is working on does nothing, where client-go's hands
// it to two workers if it is queued.
//
// The order among different keys is not promised by either model. Ours is the
// order in which keys became due; and priorities age, see [queue.Ageing].
//
// # Metrics
//
// A named queue pushes the workqueue metrics to its provider. Without one, they go
// to the workqueue_* vectors that controller-runtime has registered. Of the
// priorities seen, 25 get a label of their own, as there. Unfinished work is
// updated every 500 ms by a ticker of the queue's clock. [queue.Stats] has the
// same numbers, worked out when asked for, whether or not the queue has a name.
//
// # Concurrency
//
// Every method of every queue may be called from any goroutine. A queue with
// metrics, a logger or a foreign clock or inner queue runs one task for each; ShutDown and
// ShutDownWithDrain end them and return when they are gone. A MetricsProvider's
// metrics are called without the queue's lock held, one at a time and in the
// order of events; they must not call the queue that they belong to.
//
// # Testing
//
// Random scripts drive client-go's workqueue and ours, and controller-runtime's
// priority queue and ours, side by side in a synctest bubble; what each key goes
// through must be the same. SEEDS sets how many scripts run.
package ctrlqueue

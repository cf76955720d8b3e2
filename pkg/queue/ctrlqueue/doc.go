// Package ctrlqueue makes queues with the interfaces of client-go's workqueue and of
// controller-runtime's priority queue. To replace either of them, call another constructor.
//
//	workqueue.TypedInterface               NewTyped, NewTypedWithConfig
//	workqueue.TypedDelayingInterface       NewTypedDelayingQueueWithConfig
//	workqueue.TypedRateLimitingInterface   NewTypedRateLimitingQueueWithConfig
//	priorityqueue.PriorityQueue            New, NewQueue
//
// A controller that is built by hand gets the queue by one line:
//
//	controller.New("pods", mgr, controller.Options{Reconciler: r, NewQueue: ctrlqueue.NewQueue[reconcile.Request]})
//
// A controller of pkg/builder has this queue by default.
//
// A workqueue and a priority queue treat several adds of a key differently. A workqueue keeps
// a delayed add beside queued work, and knows no priority. A priority queue has one entry per
// key, with the highest priority and the earliest time of all adds.
//
// client-go's rate limiters work unchanged.
//
// # Differences
//
//   - ShutDownWithDrain waits until no key is queued and no worker has one, as client-go
//     documents it. client-go's returns as soon as no worker has a key, and
//     controller-runtime's does not wait. Ours does not wait for queued keys if no worker
//     ever called Get.
//   - A second ShutDown does nothing. controller-runtime's panics.
//   - ShutDown takes effect on delayed adds at once, for both kinds of queue.
//   - Done does nothing for a key that no worker has. client-go's then gives a queued key to
//     two workers.
//   - Keys of the same priority are handed out in the order in which they became due. The
//     other two promise no order. Priorities age, see queue.Ageing.
//
// # Metrics
//
// A queue with a name updates the workqueue metrics of its provider. The default provider is
// the workqueue_* vectors that controller-runtime has registered. The first 25 priorities get
// a label of their own, as in controller-runtime. A ticker of the queue's clock updates the
// metric of unfinished work every 500 ms. Stats has the numbers of the moment at any time, and
// also for a queue without a name.
//
// # Concurrency
//
// Any goroutine may call any method of any queue. A queue runs one task for its metrics, one
// for its logger, and one for a caller's own clock or another queue, if it has them. ShutDown
// and ShutDownWithDrain end these tasks before they return. The queue calls the metrics of a
// provider under its lock, as client-go's does, in the order of the events. They must not call
// the queue.
//
// # Testing
//
// Random scripts run client-go's workqueue and ours side by side in a synctest bubble, and
// controller-runtime's priority queue and ours. Each key must have the same history in both.
// SEEDS sets how many scripts run.
package ctrlqueue

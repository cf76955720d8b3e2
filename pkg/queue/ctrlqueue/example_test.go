package ctrlqueue_test

import (
	"fmt"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/pkg/queue/ctrlqueue"
)

func ExampleNewTyped() {
	q := ctrlqueue.NewTyped[string]()
	q.Add("a")
	q.Add("a")
	q.Add("b")
	fmt.Println(q.Len())
	q.ShutDown()
	// Output: 2
}

func ExampleNewTypedWithConfig() {
	q := ctrlqueue.NewTypedWithConfig(ctrlqueue.TypedQueueConfig[string]{Queue: ctrlqueue.DefaultQueue[string]()})
	q.Add("a")
	key, shutdown := q.Get()
	fmt.Println(key, shutdown)
	q.Done(key)
	q.ShutDown()
	// Output: a false
}

func ExampleDefaultQueue() {
	storage := ctrlqueue.DefaultQueue[string]()
	storage.Push("first")
	storage.Push("second")
	fmt.Println(storage.Pop(), storage.Len())
	// Output: first 1
}

func ExampleNewTypedDelayingQueueWithConfig() {
	q := ctrlqueue.NewTypedDelayingQueueWithConfig(ctrlqueue.TypedDelayingQueueConfig[string]{})
	q.AddAfter("late", 10*time.Millisecond)
	q.AddAfter("soon", time.Millisecond)
	for range 2 {
		key, _ := q.Get()
		fmt.Println(key)
		q.Done(key)
	}
	q.ShutDown()
	// Output:
	// soon
	// late
}

func ExampleNewTypedRateLimitingQueueWithConfig() {
	limiter := workqueue.DefaultTypedControllerRateLimiter[string]()
	q := ctrlqueue.NewTypedRateLimitingQueueWithConfig(limiter, ctrlqueue.TypedRateLimitingQueueConfig[string]{})
	q.AddRateLimited("a")
	key, _ := q.Get()
	fmt.Println(key, q.NumRequeues(key))
	q.ShutDown()
	// Output: a 1
}

func ExampleNew() {
	q := ctrlqueue.New[string]("example")
	urgent := 10
	q.Add("routine")
	q.AddWithOpts(priorityqueue.AddOpts{Priority: &urgent}, "urgent")
	key, priority, _ := q.GetWithPriority()
	fmt.Println(key, priority)
	q.ShutDown()
	// Output: urgent 10
}

func ExampleNewQueue() {
	options := controller.Options{NewQueue: ctrlqueue.NewQueue[reconcile.Request]}
	q := options.NewQueue("example", workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	_, ok := q.(priorityqueue.PriorityQueue[reconcile.Request])
	fmt.Println("has priorities:", ok)
	q.ShutDown()
	// Output: has priorities: true
}

func ExampleInspect() {
	q := ctrlqueue.NewTypedDelayingQueueWithConfig(ctrlqueue.TypedDelayingQueueConfig[string]{})
	q.AddAfter("mistake", time.Hour)
	inside, _ := ctrlqueue.Inspect(q)
	for _, e := range inside.Contents(10) {
		fmt.Println(e.Key, "waits:", !e.Due.IsZero())
	}
	fmt.Println("cancelled:", inside.Cancel("mistake"))
	q.ShutDown()
	// Output:
	// mistake waits: true
	// cancelled: true
}

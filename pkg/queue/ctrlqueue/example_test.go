package ctrlqueue

import (
	"fmt"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

func ExampleNewTyped() {
	q := NewTyped[string]()
	q.Add("a")
	q.Add("a")
	q.Add("b")
	fmt.Println(q.Len())
	q.ShutDown()
	// Output: 2
}

func ExampleNewTypedWithConfig() {
	q := NewTypedWithConfig(TypedQueueConfig[string]{Queue: DefaultQueue[string]()})
	q.Add("a")
	item, shutdown := q.Get()
	fmt.Println(item, shutdown)
	q.Done(item)
	q.ShutDown()
	// Output: a false
}

func ExampleDefaultQueue() {
	storage := DefaultQueue[string]()
	storage.Push("first")
	storage.Push("second")
	fmt.Println(storage.Pop(), storage.Len())
	// Output: first 1
}

func ExampleNewTypedDelayingQueueWithConfig() {
	q := NewTypedDelayingQueueWithConfig(TypedDelayingQueueConfig[string]{})
	q.AddAfter("late", 10*time.Millisecond)
	q.AddAfter("soon", time.Millisecond)
	for range 2 {
		item, _ := q.Get()
		fmt.Println(item)
		q.Done(item)
	}
	q.ShutDown()
	// Output:
	// soon
	// late
}

func ExampleNewTypedRateLimitingQueueWithConfig() {
	limiter := workqueue.DefaultTypedControllerRateLimiter[string]()
	q := NewTypedRateLimitingQueueWithConfig(limiter, TypedRateLimitingQueueConfig[string]{})
	q.AddRateLimited("a")
	item, _ := q.Get()
	fmt.Println(item, q.NumRequeues(item))
	q.ShutDown()
	// Output: a 1
}

func ExampleNew() {
	q := New[string]("example")
	urgent := 10
	q.Add("routine")
	q.AddWithOpts(priorityqueue.AddOpts{Priority: &urgent}, "urgent")
	item, priority, _ := q.GetWithPriority()
	fmt.Println(item, priority)
	q.ShutDown()
	// Output: urgent 10
}

func ExampleNewQueue() {
	options := controller.Options{NewQueue: NewQueue[reconcile.Request]}
	q := options.NewQueue("example", workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	_, ok := q.(priorityqueue.PriorityQueue[reconcile.Request])
	fmt.Println("has priorities:", ok)
	q.ShutDown()
	// Output: has priorities: true
}

func ExampleInspect() {
	q := NewTypedDelayingQueueWithConfig(TypedDelayingQueueConfig[string]{})
	q.AddAfter("mistake", time.Hour)
	inside, _ := Inspect(q)
	for _, e := range inside.Contents(10) {
		fmt.Println(e.Key, "waits:", !e.Due.IsZero())
	}
	fmt.Println("cancelled:", inside.Cancel("mistake"))
	q.ShutDown()
	// Output:
	// mistake waits: true
	// cancelled: true
}

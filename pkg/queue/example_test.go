package queue_test

import (
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/delta-runtime/delta-runtime/pkg/queue"
	"github.com/delta-runtime/delta-runtime/pkg/queue/ctrlqueue"
)

// A queue shows why a worker does not get a key, and its delayed adds can be changed.
func Example() {
	q := ctrlqueue.New[string]("")
	defer q.ShutDown()

	low, high := -100, 10
	q.Add("changed")
	q.AddWithOpts(priorityqueue.AddOpts{Priority: &low}, "resynced")
	q.AddWithOpts(priorityqueue.AddOpts{Priority: &high}, "urgent")
	q.AddAfter("retried", time.Hour)
	q.AddAfter("mistaken", 2*time.Hour)

	key, _ := q.Get()
	for _, e := range q.Contents(10) {
		fmt.Println(e.Key, "at", e.Priority, state(e))
	}
	fmt.Println("cancelled:", q.Cancel("mistaken"))
	fmt.Println("brought forward:", q.Replace(queue.AddOptions{Priority: high}, "retried"))
	q.Done(key)

	next, _ := q.Get()
	fmt.Println("next:", next)
	q.Done(next)

	stats := q.Stats()
	fmt.Println("queued:", stats.Depth[0], "and", stats.Depth[low], "delayed:", stats.Waiting)
	fmt.Println("worked on:", stats.Finished)
	// Output:
	// urgent at 10 a worker has it
	// changed at 0 queued
	// resynced at -100 queued
	// retried at 0 delayed
	// mistaken at 0 delayed
	// cancelled: true
	// brought forward: true
	// next: retried
	// queued: 1 and 1 delayed: 0
	// worked on: 2
}

func state(e queue.Entry[string]) string {
	switch {
	case !e.Working.IsZero():
		return "a worker has it"
	case !e.Queued.IsZero():
		return "queued"
	default:
		return "delayed"
	}
}

// A drain returns when the workers have finished all queued keys.
func Example_drain() {
	q := ctrlqueue.New[string]("")
	q.Add("a")
	q.Add("b")
	q.AddAfter("delayed", time.Hour) // a drain drops it

	worked := make(chan string, 2)
	go func() {
		for {
			key, shutdown := q.Get()
			if shutdown {
				return
			}
			worked <- key
			q.Done(key)
		}
	}()
	fmt.Println(<-worked)
	q.ShutDownWithDrain()
	fmt.Println(<-worked)
	// Output:
	// a
	// b
}

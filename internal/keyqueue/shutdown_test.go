package keyqueue

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/delta-runtime/delta-runtime/pkg/queue"
)

func TestDrainWaitsForAll(t *testing.T) {
	for _, merge := range []Merge{OnePerKey, TimersApart} {
		synctest.Test(t, func(t *testing.T) {
			q := New(Options[string]{Merge: merge})
			var worked atomic.Int32
			var workers sync.WaitGroup
			workers.Go(worker(q, time.Second, func(string) { worked.Add(1) }))
			for i := range 5 {
				q.Add(fmt.Sprint(i))
			}
			synctest.Wait()
			q.Add("0") // the worker has it
			q.AddAfter("dropped", time.Millisecond)
			start := time.Now()
			q.ShutDownWithDrain()
			if since := time.Since(start); worked.Load() != 6 || since != 6*time.Second {
				t.Errorf("drained %d in %v, want 6 in 6s", worked.Load(), since)
			}
			workers.Wait()
		})
	}
}

// A drain waits for queued keys also at a moment at which no worker has a key.
func TestDrainWaitsForIdleWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Options[string]{})
		q.Add("a")
		q.Add("b")
		first, _ := q.Get()
		var worker sync.WaitGroup
		worker.Go(func() {
			time.Sleep(time.Second)
			q.Done(first)
			time.Sleep(time.Second) // between two keys
			second, _ := q.Get()
			q.Done(second)
		})
		start := time.Now()
		q.ShutDownWithDrain()
		if since := time.Since(start); since != 2*time.Second || q.Len() != 0 {
			t.Errorf("drained after %v with %d left", since, q.Len())
		}
		worker.Wait()
	})
}

func TestShutDownEndsTheWaitOfADrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Options[string]{})
		q.Add("never done")
		_, _ = q.Get()
		drained := make(chan struct{})
		go func() {
			q.ShutDownWithDrain()
			close(drained)
		}()
		synctest.Wait()
		select {
		case <-drained:
			t.Error("the drain did not wait for the worker")
		default:
		}
		q.ShutDown()
		<-drained
	})
}

func TestDrainBeforeAnyWorker(t *testing.T) {
	q := New(Options[string]{})
	q.Add("a")
	q.ShutDownWithDrain() // it returns, because there is no worker
	if key, ok := q.Get(); key != "a" || !ok {
		t.Error("what was queued is still handed out")
	}
	q.Done("a")
	q.ShutDownWithDrain()
}

func TestShutDownNowHandsOutNothing(t *testing.T) {
	q := New(Options[string]{})
	q.Add("a")
	q.ShutDownNow()
	if key, ok := q.Get(); ok || key != "" {
		t.Errorf("got %q from an ended queue", key)
	}
}

// TestUnderLoad runs producers, workers and observers at the same time, mostly for the race
// detector. No key may have two workers. No add may be lost: a worker gets each key after its
// last add.
func TestUnderLoad(t *testing.T) {
	for _, merge := range []Merge{OnePerKey, TimersApart} {
		q := New(Options[int]{Merge: merge, Observer: newBooks(t)})
		const keys, producers, perProducer = 50, 4, 3000
		var added, seen [keys]atomic.Int64
		var busy [keys]atomic.Bool
		var workers, others sync.WaitGroup
		for range 6 {
			workers.Go(func() {
				for {
					key, ok := q.Get()
					if !ok {
						return
					}
					if busy[key].Swap(true) {
						t.Errorf("key %d has two workers", key)
					}
					seen[key].Store(added[key].Load())
					busy[key].Store(false)
					q.Done(key)
				}
			})
		}
		for p := range producers {
			others.Go(func() {
				rng := rand.New(rand.NewPCG(uint64(p), 1))
				for range perProducer {
					key := rng.IntN(keys)
					added[key].Add(1)
					switch rng.IntN(10) {
					case 0:
						q.AddAfter(key, time.Duration(rng.IntN(100))*time.Microsecond)
					case 1:
						q.Cancel(key)
						q.Add(key)
					case 2:
						q.Replace(queue.AddOptions{Priority: rng.IntN(3)}, key)
					default:
						q.AddWithOptions(queue.AddOptions{Priority: rng.IntN(3)}, key)
					}
				}
				for key := range keys {
					q.Add(key)
				}
			})
		}
		others.Go(func() {
			for range 100 {
				_, _, _ = q.Stats(), q.Contents(20), q.Len()
			}
		})
		others.Wait()
		q.ShutDownWithDrain()
		workers.Wait()
		for key := range keys {
			if seen[key].Load() != added[key].Load() {
				t.Errorf("the last add of key %d was not worked on", key)
			}
		}
	}
}

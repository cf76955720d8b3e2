package keyqueue

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/queue"
)

// worker gets keys until the queue ends, and holds each for a while.
func worker(q *Queue[string], hold time.Duration, got func(string)) func() {
	return func() {
		for {
			key, ok := q.Get()
			if !ok {
				return
			}
			got(key)
			time.Sleep(hold)
			q.Done(key)
		}
	}
}

// A key that is due becomes queued although no caller asks for one.
func TestDueWithoutWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := newBooks(t)
		q := New(Options[string]{Observer: told})
		q.AddAfter("a", time.Second)
		q.AddAfter("b", 2*time.Second)
		time.Sleep(time.Second)
		synctest.Wait()
		q.lock() // the observer is told under it
		if told.depth[0] != 1 {
			t.Errorf("%d were said to be queued when the first timer was due, want 1", told.depth[0])
		}
		q.unlock()
		time.Sleep(time.Second)
		synctest.Wait()
		if q.Len() != 2 {
			t.Errorf("%d queued after both were due, want 2", q.Len())
		}
		q.ShutDown()
	})
}

func TestCancelAndReplace(t *testing.T) {
	for _, merge := range []Merge{OnePerKey, TimersApart} {
		synctest.Test(t, func(t *testing.T) {
			q := New(Options[string]{Merge: merge})
			if q.Cancel("a") {
				t.Error("cancelled what was never added")
			}
			q.AddAfter("a", time.Minute)
			if !q.Cancel("a") || q.Cancel("a") {
				t.Error("a delayed add is cancelled once")
			}
			time.Sleep(time.Hour)
			if q.Len() != 0 {
				t.Error("a cancelled add came back")
			}
			start := time.Now()
			q.AddWithOptions(queue.AddOptions{After: time.Minute, Priority: 7}, "b")
			if !q.Replace(queue.AddOptions{After: time.Hour, Priority: 3}, "b") {
				t.Error("the delayed add of b was not found")
			}
			key, priority, _ := q.GetWithPriority()
			if since := time.Since(start); key != "b" || priority != 3 || since != time.Hour {
				t.Errorf("got %q at priority %d after %v, want b at 3 after 1h", key, priority, since)
			}
			q.Done("b")
			q.Add("c")
			if q.Cancel("c") || q.Len() != 1 {
				t.Error("cancelling took back queued work")
			}
			if q.Replace(queue.AddOptions{}, "d") || q.Len() != 2 {
				t.Error("replacing nothing must add")
			}
			q.ShutDown()
		})
	}
}

// books are an observer's counts. They never get below zero.
type books struct {
	t       *testing.T
	depth   map[int]int
	working int
}

func newBooks(t *testing.T) *books {
	t.Helper()
	return &books{t: t, depth: map[int]int{}}
}

func (b *books) change(priority, queued, working int) {
	b.depth[priority] += queued
	b.working += working
	if b.depth[priority] < 0 || b.working < 0 {
		b.t.Errorf("at priority %d: depth %v, %d working", priority, b.depth, b.working)
	}
}

func (b *books) Queued(priority int)                 { b.change(priority, 1, 0) }
func (b *books) Raised(from, to int)                 { b.change(from, -1, 0); b.change(to, 1, 0) }
func (b *books) Taken(priority int, _ time.Duration) { b.change(priority, -1, 1) }
func (b *books) Finished(time.Duration)              { b.change(0, 0, -1) }
func (b *books) Delayed()                            {}

// An observer that counts queued keys never gets below zero. When all is done, its counts are right.
func TestObserverIsNeverBehind(t *testing.T) {
	seeds.Run(t, usualSeeds, func(t *testing.T, rng *rand.Rand) {
		synctest.Test(t, func(t *testing.T) {
			told := newBooks(t)
			q := New(Options[string]{Observer: told})
			var all sync.WaitGroup
			for range 3 {
				all.Go(worker(q, time.Duration(rng.IntN(10)), func(string) {}))
			}
			for range 100 {
				q.AddWithOptions(queue.AddOptions{Priority: rng.IntN(3), After: time.Duration(rng.IntN(20) - 10)}, fmt.Sprint(rng.IntN(10)))
				time.Sleep(time.Duration(rng.IntN(5)))
			}
			time.Sleep(time.Hour)
			q.ShutDownWithDrain()
			all.Wait()
			for priority, n := range told.depth {
				if n != 0 || told.working != 0 {
					t.Errorf("the queue is empty, yet %d are queued at priority %d, %d working", n, priority, told.working)
				}
			}
			stats := q.Stats()
			if stats.Taken != stats.Added || stats.Finished != stats.Added {
				t.Errorf("totals do not agree: %+v", stats)
			}
		})
	})
}

func TestContents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Options[string]{})
		start := time.Now()
		q.Add("worked on")
		time.Sleep(time.Second)
		if q.Stats().Served {
			t.Error("a queue that no worker has asked is served")
		}
		_, _ = q.Get()
		q.AddWithOptions(queue.AddOptions{Priority: -1}, "low")
		q.AddWithOptions(queue.AddOptions{Priority: 1}, "high", "worked on")
		q.AddAfter("in an hour", time.Hour)
		q.AddAfter("in a minute", time.Minute)
		all := []queue.Entry[string]{
			{Key: "worked on", Priority: 1, Queued: start.Add(time.Second), Working: start.Add(time.Second)},
			{Key: "high", Priority: 1, Queued: start.Add(time.Second)},
			{Key: "low", Priority: -1, Queued: start.Add(time.Second)},
			{Key: "in a minute", Due: start.Add(time.Second + time.Minute)},
			{Key: "in an hour", Due: start.Add(time.Second + time.Hour)},
		}
		for limit := range len(all) + 2 {
			want := all[:min(limit, len(all))]
			if got := q.Contents(limit); !slices.Equal(got, want) {
				t.Errorf("the first %d are\n%+v, want\n%+v", limit, got, want)
			}
		}
		for _, want := range all {
			if got, there := q.Entry(want.Key); got != want || !there {
				t.Errorf("the entry of %q is %+v, %v, want %+v", want.Key, got, there, want)
			}
		}
		if got, there := q.Entry("nowhere"); there {
			t.Errorf("there is an entry of a key that was never added: %+v", got)
		}
		stats := q.Stats()
		if stats.Waiting != 2 || stats.Working != 1 || stats.Depth[1] != 2 || stats.Depth[-1] != 1 || !stats.Served {
			t.Errorf("stats %+v", stats)
		}
		time.Sleep(time.Second)
		if got := q.Stats(); got.OldestQueued != time.Second || got.LongestWorking != time.Second || got.Unfinished != time.Second {
			t.Errorf("after a second: oldest %v, longest %v, unfinished %v", got.OldestQueued, got.LongestWorking, got.Unfinished)
		}
		q.ShutDown()
	})
}

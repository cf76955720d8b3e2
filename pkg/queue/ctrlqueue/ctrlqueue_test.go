package ctrlqueue

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr/funcr"
	"k8s.io/client-go/util/workqueue"
	testingclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/pkg/queue"
)

var _ = controller.Options{NewQueue: NewQueue[reconcile.Request]}

// noDelay makes AddAfter an Add for a queue that has no AddAfter.
type noDelay struct {
	workqueue.TypedInterface[string]
}

func (q noDelay) AddAfter(key string, _ time.Duration) { q.Add(key) }

// every makes each kind of queue, with all the tasks that it can have.
func every() map[string]func() workqueue.TypedDelayingInterface[string] {
	type delayingQueue = workqueue.TypedDelayingInterface[string]
	limiter := workqueue.DefaultTypedControllerRateLimiter[string]
	log := funcr.New(func(string, string) {}, funcr.Options{Verbosity: logVerbosity})
	return map[string]func() delayingQueue{
		"NewTyped":           func() delayingQueue { return noDelay{NewTyped[string]()} },
		"NewTypedWithConfig": func() delayingQueue { return noDelay{NewTypedWithConfig(TypedQueueConfig[string]{Name: "q"})} },
		"with a storage": func() delayingQueue {
			return noDelay{NewTypedWithConfig(TypedQueueConfig[string]{Queue: DefaultQueue[string]()})}
		},
		"delaying": func() delayingQueue {
			return NewTypedDelayingQueueWithConfig(TypedDelayingQueueConfig[string]{Name: "q"})
		},
		"delaying by a clock": func() delayingQueue {
			return NewTypedDelayingQueueWithConfig(TypedDelayingQueueConfig[string]{Name: "q", Clock: testingclock.NewFakeClock(time.Now())})
		},
		"delaying another": func() delayingQueue {
			return NewTypedDelayingQueueWithConfig(TypedDelayingQueueConfig[string]{Name: "q", Queue: workqueue.NewTyped[string]()})
		},
		"rate limiting": func() delayingQueue {
			return NewTypedRateLimitingQueueWithConfig(limiter(), TypedRateLimitingQueueConfig[string]{Name: "q"})
		},
		"priority": func() delayingQueue {
			return New("q", func(o *Opts[string]) { o.Log = log })
		},
	}
}

// TestNothingIsLeftBehind ends each kind of queue by two calls in every order, with and without
// workers. The bubble fails if a goroutine is left over, and a drain returns when all is worked on.
func TestNothingIsLeftBehind(t *testing.T) {
	type q = workqueue.TypedDelayingInterface[string]
	ends := map[string]func(q){"ShutDown": q.ShutDown, "ShutDownWithDrain": q.ShutDownWithDrain}
	for name, newQueue := range every() {
		for a, first := range ends {
			for b, second := range ends {
				for _, workers := range []int{0, 2} {
					t.Run(fmt.Sprintf("%s/%s,%s/workers=%d", name, a, b, workers), func(t *testing.T) {
						synctest.Test(t, func(t *testing.T) {
							q := newQueue()
							var all sync.WaitGroup
							var worked atomic.Int32
							for range workers {
								all.Go(func() {
									for {
										key, shutdown := q.Get()
										if shutdown {
											return
										}
										time.Sleep(time.Second)
										worked.Add(1)
										q.Done(key)
									}
								})
							}
							for i := range 5 {
								q.Add(fmt.Sprint(i))
								q.AddAfter(fmt.Sprint("later ", i), time.Hour)
							}
							time.Sleep(time.Millisecond)
							queued := q.Len() + workers
							first(q)
							q.Add("after the end")
							q.AddAfter("later, after the end", time.Second)
							drains := a == "ShutDownWithDrain" && workers > 0 && name != "delaying another" // client-go's own drain does not drain
							if got := int(worked.Load()); drains && got != queued {
								t.Errorf("drained after %d of %d", got, queued)
							}
							second(q)
							all.Wait()
							left := q.Len()
							time.Sleep(2 * time.Hour)
							if !q.ShuttingDown() || q.Len() != left {
								t.Errorf("the queue goes on: it had %d keys, and has %d", left, q.Len())
							}
						})
					})
				}
			}
		}
	}
}

// With a clock that is set by hand, keys become due by that clock, and the metrics measure by it.
func TestForeignClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := testingclock.NewFakeClock(time.Unix(0, 0))
		metrics := newRecorder()
		q := NewTypedDelayingQueueWithConfig(TypedDelayingQueueConfig[string]{Name: "q", Clock: clock, MetricsProvider: metrics})
		defer q.ShutDown()
		q.AddAfter("b", 2*time.Hour)
		q.AddAfter("a", time.Hour)
		time.Sleep(24 * time.Hour)
		if q.Len() != 0 {
			t.Error("the queue looked at another clock")
		}
		for _, want := range []string{"a", "b"} {
			clock.Step(time.Hour)
			synctest.Wait()
			if q.Len() != 1 {
				t.Fatalf("%d are due when %s should be", q.Len(), want)
			}
			clock.Step(time.Second)
			if key, _ := q.Get(); key != want {
				t.Errorf("got %s, want %s", key, want)
			}
			q.Done(want)
		}
		if got := metrics.look()["latency"]; got != 2 {
			t.Errorf("the two were queued for %vs, want 2", got)
		}
	})
}

// A queue that delays adds to another one does not change how the other one works.
func TestDelayingAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := workqueue.NewTyped[string]()
		metrics := newRecorder()
		q := NewTypedDelayingQueueWithConfig(TypedDelayingQueueConfig[string]{Name: "q", MetricsProvider: metrics, Queue: inner})
		start := time.Now()
		q.AddAfter("later", time.Hour)
		q.AddAfter("now", 0)
		q.AddAfter("later", 2*time.Hour) // the earlier one stays
		if key, _ := inner.Get(); key != "now" {
			t.Errorf("got %s, want now", key)
		}
		key, _ := q.Get()
		if since := time.Since(start); key != "later" || since != time.Hour {
			t.Errorf("got %s after %v, want later after 1h", key, since)
		}
		time.Sleep(24 * time.Hour)
		if q.Len() != 0 || metrics.look()["retries"] != 3 {
			t.Errorf("%d queued, %v retries", q.Len(), metrics.look()["retries"])
		}
		q.ShutDown()
		q.AddAfter("after the end", 0)
		if !inner.ShuttingDown() || inner.Len() != 0 {
			t.Error("the other queue goes on")
		}
	})
}

func TestLimitingAnother(t *testing.T) {
	inner := NewTypedDelayingQueueWithConfig(TypedDelayingQueueConfig[string]{})
	q := NewTypedRateLimitingQueueWithConfig(workqueue.DefaultTypedItemBasedRateLimiter[string](), TypedRateLimitingQueueConfig[string]{DelayingQueue: inner})
	defer q.ShutDown()
	q.AddRateLimited("a")
	if key, _ := inner.Get(); key != "a" {
		t.Errorf("got %s", key)
	}
}

// lifo is a storage with an order of its own.
type lifo struct {
	keys    []string
	touched []string
}

func (l *lifo) Push(key string)  { l.keys = append(l.keys, key) }
func (l *lifo) Len() int         { return len(l.keys) }
func (l *lifo) Touch(key string) { l.touched = append(l.touched, key) }
func (l *lifo) Pop() string {
	last := len(l.keys) - 1
	key := l.keys[last]
	l.keys = l.keys[:last]
	return key
}

func TestStorageDecidesTheOrder(t *testing.T) {
	storage := &lifo{}
	q := NewTypedWithConfig(TypedQueueConfig[string]{Queue: storage})
	for _, key := range []string{"a", "b", "a", "c"} {
		q.Add(key)
	}
	for _, want := range []string{"c", "b", "a"} {
		if key, _ := q.Get(); key != want {
			t.Errorf("got %s, want %s", key, want)
		}
	}
	q.Add("a")
	if !slices.Equal(storage.touched, []string{"a"}) || q.Len() != 0 {
		t.Errorf("touched %v, %d queued while all are being worked on", storage.touched, q.Len())
	}
	q.ShutDown()
}

func TestLogShowsTheContents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var lines []string
		log := funcr.New(func(_, args string) {
			mu.Lock()
			defer mu.Unlock()
			lines = append(lines, args)
		}, funcr.Options{Verbosity: logVerbosity})
		q := New("", func(o *Opts[string]) { o.Log = log })
		q.AddAfter("waits for the log", time.Hour)
		time.Sleep(25 * time.Second)
		q.ShutDown()
		if len(lines) != 2 || !strings.Contains(lines[0], "waits for the log") {
			t.Errorf("logged in 25s: %q", lines)
		}
	})
}

func TestInspect(t *testing.T) {
	for name, newQueue := range every() {
		q := newQueue()
		var plain workqueue.TypedInterface[string] = q
		if n, ok := q.(noDelay); ok {
			plain = n.TypedInterface
		}
		i, ok := Inspect(plain)
		if ok != (name != "delaying another") {
			t.Errorf("%s: can be inspected: %v", name, ok)
		}
		if ok {
			plain.Add("a")
			if i.Stats().Added != 1 || i.Cancel("a") || i.Replace(queue.AddOptions{After: time.Hour}, "b") || len(i.Contents(10)) == 0 || !i.Cancel("b") {
				t.Errorf("%s: inspection does not show the queue", name)
			}
		}
		q.ShutDown()
	}
}

// A priority queue shows how often a key was tried.
func TestAttempts(t *testing.T) {
	q := New[string]("")
	defer q.ShutDown()
	q.Add("never")
	for range 3 {
		q.AddRateLimited("often")
	}
	for _, e := range q.Contents(10) {
		want := map[string]int{"often": 3}[e.Key]
		if one, there := q.Entry(e.Key); e.Attempts != want || one != e || !there {
			t.Errorf("%q was tried %d times, want %d; alone it is %+v", e.Key, e.Attempts, want, one)
		}
	}
	if _, there := q.Entry("nowhere"); there {
		t.Error("there is an entry of a key that was never added")
	}
}

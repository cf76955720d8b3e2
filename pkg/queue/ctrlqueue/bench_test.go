package ctrlqueue

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/internal/testing/benchkit"
)

// The incumbents are built as in an operator. With a name they update the metrics that
// controller-runtime registers, and so do ours.

type request = reconcile.Request

func requests(n int) []request {
	out := make([]request, n)
	for i := range out {
		out[i] = request{NamespacedName: types.NamespacedName{
			Namespace: fmt.Sprintf("team-%03d", i%100),
			Name:      fmt.Sprintf("deployment-%07d", i),
		}}
	}
	return out
}

// measured runs loop, and measures its time and its CPU time.
func measured(b *testing.B, loop func()) {
	b.Helper()
	b.ReportAllocs()
	b.ResetTimer()
	cpu := benchkit.StartCPU()
	loop()
	cpu.Report(b, b.N)
	b.StopTimer()
}

type queueOf = workqueue.TypedInterface[request]

// side is one of the two queues of a row.
type side[Q any] struct {
	name string
	make func(name string) Q
}

func workqueues() []side[workqueue.TypedRateLimitingInterface[request]] {
	limiter := workqueue.DefaultTypedItemBasedRateLimiter[request]
	return []side[workqueue.TypedRateLimitingInterface[request]]{
		{"ours", func(name string) workqueue.TypedRateLimitingInterface[request] {
			return NewTypedRateLimitingQueueWithConfig(limiter(), TypedRateLimitingQueueConfig[request]{Name: name})
		}},
		{"incumbent", func(name string) workqueue.TypedRateLimitingInterface[request] {
			return workqueue.NewTypedRateLimitingQueueWithConfig(limiter(), workqueue.TypedRateLimitingQueueConfig[request]{Name: name})
		}},
	}
}

func priorityQueues() []side[priorityqueue.PriorityQueue[request]] {
	return []side[priorityqueue.PriorityQueue[request]]{
		{"ours", func(name string) priorityqueue.PriorityQueue[request] { return New[request](name) }},
		{"incumbent", func(name string) priorityqueue.PriorityQueue[request] { return priorityqueue.New[request](name) }},
	}
}

// BenchmarkRow22_QueueCycle measures an add, a get and a done. With metrics=own the incumbent
// has no metrics, and ours still counts for Stats.
func BenchmarkRow22_QueueCycle(b *testing.B) {
	for _, goroutines := range []int{1, 8, 64} {
		for metrics, name := range map[string]string{"own": "", "registry": "bench"} {
			variant := fmt.Sprintf("goroutines=%d/metrics=%s", goroutines, metrics)
			for _, s := range workqueues() {
				b.Run("against=workqueue/"+variant+"/"+s.name, func(b *testing.B) { cycles(b, s.make(name), goroutines) })
			}
		}
		for _, s := range priorityQueues() {
			b.Run(fmt.Sprintf("against=priorityqueue/goroutines=%d/metrics=registry/%s", goroutines, s.name), func(b *testing.B) { cycles(b, s.make("bench"), goroutines) })
		}
	}
}

// pending is how many keys are queued all the time.
const pending = 1000

// ownKeys is how many keys each of so many goroutines adds, one after the other. A goroutine must
// not add a key that is still queued or worked on. Each time it does, the queue holds one key less,
// until all goroutines wait for one. A goroutine that has a key may lose its processor for tens of
// milliseconds. Meanwhile the key's owner must not add that key again, so each owner has many keys.
var ownKeys = map[int]int{1: 2 * pending, 8: 100_000, 64: 30_000}

// cycleKeys are made once, because the benchmark runs with several values of b.N.
var cycleKeys = sync.OnceValue(func() []request {
	most := 0
	for goroutines, own := range ownKeys {
		most = max(most, goroutines*own)
	}
	return requests(pending + most)
})

// cycles makes each goroutine a producer and a worker at once. The queue always holds some keys,
// so each add is a new one and no get waits for long.
func cycles(b *testing.B, q queueOf, goroutines int) {
	b.Helper()
	defer q.ShutDown()
	own := ownKeys[goroutines]
	keys := cycleKeys()[:pending+own*goroutines]
	for _, k := range keys[:pending] {
		q.Add(k)
	}
	measured(b, func() {
		var all sync.WaitGroup
		for g := range goroutines {
			own := keys[pending+g*own : pending+(g+1)*own]
			all.Go(func() {
				for i := range b.N / goroutines {
					q.Add(own[i%len(own)])
					k, _ := q.Get()
					q.Done(k)
				}
			})
		}
		all.Wait()
	})
	if left := q.Len(); left < pending/2 {
		b.Errorf("the queue holds %d keys, and not about %d: goroutines added keys that it had", left, pending)
	}
}

// BenchmarkRow23_TimerLag measures how late keys are handed out if 100,000 of them are due within
// two seconds.
func BenchmarkRow23_TimerLag(b *testing.B) {
	for _, s := range priorityQueues() {
		b.Run("against=priorityqueue/"+s.name, func(b *testing.B) { timerLag(b, s.make("bench")) })
	}
}

func timerLag(b *testing.B, q priorityqueue.PriorityQueue[request]) {
	b.Helper()
	defer q.ShutDown()
	const timers, within, workers = 100_000, 2 * time.Second, 4
	keys := requests(timers)
	due := make(map[request]time.Time, timers)
	lags := make([][]time.Duration, workers)
	for range b.N {
		// The adds take time too, and the first key must not be due before the last one is
		// added. On a busy machine that takes more than one attempt.
		for lead := time.Second; ; lead *= 2 {
			start := time.Now().Add(lead)
			for i, k := range keys {
				at := start.Add(within / timers * time.Duration(i))
				due[k] = at
				q.AddAfter(k, time.Until(at))
			}
			if time.Now().Before(start) {
				break
			}
			for range timers {
				k, _ := q.Get()
				q.Done(k)
			}
		}
		var all sync.WaitGroup
		for w := range workers {
			all.Go(func() {
				for range timers / workers {
					k, _ := q.Get()
					lags[w] = append(lags[w], time.Since(due[k]))
					q.Done(k)
				}
			})
		}
		all.Wait()
	}
	flat := slices.Concat(lags...)
	slices.Sort(flat)
	b.ReportMetric(float64(flat[len(flat)*99/100]), "p99-ns")
	b.ReportMetric(float64(flat[len(flat)/2]), "p50-ns")
}

// BenchmarkRow24_AddRateLimited measures adds through the default limiter per key.
func BenchmarkRow24_AddRateLimited(b *testing.B) {
	for _, s := range workqueues() {
		b.Run("against=workqueue/"+s.name, func(b *testing.B) {
			q := s.make("bench")
			defer q.ShutDown()
			keys := requests(100_000)
			measured(b, func() {
				for i := range b.N {
					q.AddRateLimited(keys[i%len(keys)])
				}
			})
		})
	}
}

// BenchmarkRow25_PendingTimer measures the memory of a pending timer.
func BenchmarkRow25_PendingTimer(b *testing.B) {
	for _, s := range workqueues() {
		b.Run("against=workqueue/"+s.name, func(b *testing.B) { pendingTimers(b, func() queueDelaying { return s.make("bench") }) })
	}
	for _, s := range priorityQueues() {
		b.Run("against=priorityqueue/"+s.name, func(b *testing.B) { pendingTimers(b, func() queueDelaying { return s.make("bench") }) })
	}
}

type queueDelaying = workqueue.TypedDelayingInterface[request]

func pendingTimers(b *testing.B, newQueue func() queueDelaying) {
	b.Helper()
	const timers = 1_000_000
	keys := requests(timers)
	for range b.N {
		heap := benchkit.StartHeap()
		q := newQueue()
		for i, k := range keys {
			q.AddAfter(k, time.Hour+time.Duration(i*7919%timers)*time.Millisecond)
		}
		// The incumbents add in the background: wait until their heap stands still.
		grown := heap.Grown(timers, keys, q)
		for {
			time.Sleep(100 * time.Millisecond)
			now := heap.Grown(timers, keys, q)
			if math.Abs(now-grown) < 0.1 {
				break
			}
			grown = now
		}
		benchkit.ReportMemory(b, grown)
		q.ShutDown()
	}
}

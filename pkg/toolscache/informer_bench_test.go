package toolscache_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/testing/benchkit"
)

// BenchmarkRow10_InformerPipeline is one event of a watch, from the watch's
// channel through the store to every handler. See [benchmarkPipeline].
func BenchmarkRow10_InformerPipeline(b *testing.B) { benchmarkPipeline(b, 1) }

// BenchmarkRow11_InformerPipeline is Row 10 with four handlers.
func BenchmarkRow11_InformerPipeline(b *testing.B) { benchmarkPipeline(b, 4) }

// BenchmarkRow12_InformerPipeline is Row 10 with sixteen handlers.
func BenchmarkRow12_InformerPipeline(b *testing.B) { benchmarkPipeline(b, 16) }

// benchmarkPipeline lets a synced informer loose on b.N updates that wait in its
// watch and takes the time until the last handler was told of the last.
func benchmarkPipeline(b *testing.B, handlers int) {
	pods := benchkit.Pods(benchkit.Size(b))
	eachSide(b, func(b *testing.B, s side) {
		events := updates(pods, b.N)
		counters := newCounters(handlers, b.N)
		informer, feed := startInformer(b, s, pods, asHandlers(counters))
		awaitSync(b, informer)
		runtime.GC() // what setting up left behind is not the pipeline's to collect

		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		b.ResetTimer()
		cpu := benchkit.StartCPU()
		feed.serve(events)
		for _, c := range counters {
			<-c.done
		}
		b.StopTimer()
		cpu.Report(b, b.N)
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
		b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(b.N), "allocs/event")
		b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N), "B/event")
	})
}

// BenchmarkRow14_ListToSynced is a start: from Run to the moment when all four
// handlers have been told of every listed object.
func BenchmarkRow14_ListToSynced(b *testing.B) {
	feed := newFeed(benchkit.Pods(benchkit.Size(b)))
	eachSide(b, func(b *testing.B, s side) {
		b.ReportAllocs()
		cpu := benchkit.StartCPU()
		for range b.N {
			b.StopTimer()
			cpu.Stop()
			run := prepareInformer(b, s, feed, asHandlers(newCounters(4, 0)))
			runtime.GC() // or the informer before this one is collected at this one's expense
			cpu.Start()
			b.StartTimer()
			run.start()
			awaitSync(b, run)
			b.StopTimer()
			cpu.Stop()
			run.stop()
			cpu.Start()
			b.StartTimer()
		}
		cpu.Report(b, b.N)
	})
}

// BenchmarkRow15_RelistUnchanged is a watch that expires and a list that finds
// everything as it was, with four handlers. One operation is one object. The end
// is an update sent on the new watch, which no handler can be told of before
// the relist is through. Wall time means nothing here: client-go waits for about
// a second before it lists again.
func BenchmarkRow15_RelistUnchanged(b *testing.B) {
	pods := benchkit.Pods(benchkit.Size(b))
	feed := newFeed(pods)
	eachSide(b, func(b *testing.B, s side) {
		cpu := benchkit.StartCPU()
		for range b.N {
			cpu.Stop()
			watched, sentinel := newFeedWatch(1), updates(pods, 1)
			counters := newCounters(4, 1)
			run := prepareInformer(b, s, feed, asHandlers(counters))
			run.start()
			feed.serve(watched)
			awaitSync(b, run)
			feed.serve(sentinel)
			runtime.GC()
			cpu.Start()
			watched.expire()
			for _, c := range counters {
				<-c.done
			}
			cpu.Stop()
			run.stop()
			cpu.Start()
		}
		cpu.Report(b, b.N*len(pods))
	})
}

// updates is a watch in which n updates of the Pods wait, each at a version of
// its own.
func updates(pods []*corev1.Pod, n int) *feedWatch {
	w := newFeedWatch(n)
	for i := range n {
		pod := benchkit.Changed(pods[i%len(pods)], benchkit.VersionAfter(len(pods), 1+i))
		w.events <- watch.Event{Type: watch.Modified, Object: pod}
	}
	return w
}

// A counter is a handler that does nothing but count the changes it is told of.
// Updates that change nothing are not counted.
type counter struct {
	changes atomic.Int64
	target  int64
	done    chan struct{}   // closed at the target
	_       [cacheLine]byte // the next counter belongs to another goroutine
}

const cacheLine = 64

func newCounters(n, target int) []*counter {
	counters := make([]*counter, n)
	for i := range counters {
		counters[i] = &counter{target: int64(target), done: make(chan struct{})}
	}
	return counters
}

func (c *counter) OnAdd(any, bool) {}

func (c *counter) OnDelete(any) {}

func (c *counter) OnUpdate(old, new any) {
	if old.(*corev1.Pod).ResourceVersion == new.(*corev1.Pod).ResourceVersion {
		return
	}
	if c.changes.Add(1) == c.target {
		close(c.done)
	}
}

// A handler is what an informer tells, and how often it wants a resync.
type handler struct {
	cache.ResourceEventHandler
	resync time.Duration // zero is never
}

func asHandlers(counters []*counter) []handler {
	handlers := make([]handler, len(counters))
	for i, c := range counters {
		handlers[i] = handler{c, 0}
	}
	return handlers
}

// A running is an informer with its handlers, and the means to start and stop it.
type running struct {
	start    func()
	stop     func() // waits until it has stopped
	handlers []cache.ResourceEventHandlerRegistration
}

func prepareInformer(b *testing.B, s side, f *feed, handlers []handler) *running {
	b.Helper()
	informer := s.newInformer(f, &corev1.Pod{}, cache.SharedIndexInformerOptions{
		Indexers:     cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc},
		ResyncPeriod: handlers[0].resync, // without one of its own an informer refuses its handlers'
	})
	r := &running{}
	for _, h := range handlers {
		registration, err := informer.AddEventHandlerWithOptions(h.ResourceEventHandler, cache.HandlerOptions{ResyncPeriod: &h.resync})
		must(b, err)
		r.handlers = append(r.handlers, registration)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	r.start = func() {
		go func() {
			defer close(ended)
			informer.RunWithContext(ctx)
		}()
	}
	r.stop = func() {
		cancel()
		<-ended
	}
	return r
}

// startInformer returns an informer that runs until the benchmark ends.
func startInformer(b *testing.B, s side, pods []*corev1.Pod, handlers []handler) (*running, *feed) {
	b.Helper()
	f := newFeed(pods)
	r := prepareInformer(b, s, f, handlers)
	r.start()
	b.Cleanup(r.stop)
	return r, f
}

// awaitSync waits until every handler has been told of everything listed.
func awaitSync(b *testing.B, r *running) {
	b.Helper()
	for _, registration := range r.handlers {
		<-registration.HasSyncedChecker().Done()
	}
}

package toolscache_test

import (
	"context"
	"math"
	"slices"
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/delta-runtime/delta-runtime/internal/testing/benchkit"
)

const (
	// resyncPeriod is long enough for the start to be over and for the handlers to
	// be through with one resync before the next. client-go takes no period below
	// a second, checks all handlers at one tick, and sends everything then.
	resyncPeriod = 4 * time.Second
	// liveEvery is how often an object changes while the resync is under way.
	liveEvery = 200 * time.Microsecond
	// liveMost bounds the changes of one iteration: four periods' worth.
	liveMost = int(4 * resyncPeriod / liveEvery)
)

// BenchmarkRow17_LiveDuringResync is how long a change takes from the watch to a
// handler while all objects are being resynced to all handlers. An iteration is
// one resync.
//
// What counts as "while" is the time from the first Sync that any handler is told
// of to the last that any is told of, so each side is judged on the resync it
// makes. Spreading it out does not pay: "syncs-ns" is how long it took, and is
// gated too. A change is timed from the moment it is put into the watch's
// channel, which never blocks, so that a slow side can't slow down its questioner.
func BenchmarkRow17_LiveDuringResync(b *testing.B) {
	pods := benchkit.Pods(benchkit.Size(b))
	for _, handlers := range []int{1, 4} {
		b.Run("handlers="+strconv.Itoa(handlers), func(b *testing.B) {
			eachSide(b, func(b *testing.B, s side) {
				var told latencies
				var syncing time.Duration
				for range b.N {
					syncing += resyncOnce(b, s, pods, handlers, &told)
				}
				told.report(b)
				b.ReportMetric(float64(syncing)/float64(b.N), "syncs-ns")
			})
		})
	}
}

// resyncOnce starts an informer, waits for its first resync and returns how long
// that took.
func resyncOnce(b *testing.B, s side, pods []*corev1.Pod, handlers int, into *latencies) time.Duration {
	b.Helper()
	live := newLive(pods)
	observers := make([]*observer, handlers)
	for i := range observers {
		observers[i] = newObserver(live, len(pods))
	}
	f := newFeed(pods)
	r := prepareInformer(b, s, f, periodically(observers))
	r.start()
	f.serve(live.watch)
	awaitSync(b, r)
	ctx, cancel := context.WithCancel(context.Background())
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		live.run(ctx)
	}()
	for _, o := range observers {
		<-o.resynced
	}
	cancel()
	<-sent
	for _, o := range observers {
		<-o.ended
	}
	r.stop()
	return collect(observers, live, into)
}

// collect adds the latencies of the changes sent during the resync.
func collect(observers []*observer, live *live, into *latencies) time.Duration {
	first, last := observers[0].first, observers[0].last
	for _, o := range observers {
		first, last = min(first, o.first), max(last, o.last)
	}
	for _, o := range observers {
		for i, heard := range o.heard[:live.count] {
			if sent := live.sent[i]; sent >= first && sent <= last {
				*into = append(*into, heard-sent)
			}
		}
	}
	return last - first
}

// live changes one Pod after another and remembers when. Times are since it was
// made.
type live struct {
	began  time.Time
	watch  *feedWatch
	events []watch.Event
	sent   []time.Duration // by number of the change
	count  int             // changes sent; read it when run has returned
	base   uint64          // version of change zero
	hot    int             // only so many Pods change
}

func newLive(pods []*corev1.Pod) *live {
	l := &live{
		began: time.Now(),
		watch: newFeedWatch(liveMost + 1),
		sent:  make([]time.Duration, liveMost),
		base:  benchkit.VersionAfter(len(pods), 1),
		hot:   1 + len(pods)/100,
	}
	for i := range liveMost {
		pod := benchkit.Changed(pods[i%l.hot], l.base+uint64(i))
		l.events = append(l.events, watch.Event{Type: watch.Modified, Object: pod})
	}
	return l
}

// run sends changes until ctx ends, and then deletes the first Pod.
func (l *live) run(ctx context.Context) {
	ticker := time.NewTicker(liveEvery)
	defer ticker.Stop()
	for ctx.Err() == nil && l.count < len(l.events) {
		select {
		case <-ctx.Done():
		case <-ticker.C:
			l.sent[l.count] = time.Since(l.began)
			l.watch.events <- l.events[l.count]
			l.count++
		}
	}
	<-ctx.Done()
	l.watch.events <- watch.Event{Type: watch.Deleted, Object: l.events[0].Object}
}

// An observer is a handler that notes when it was told of what. Pods that change
// don't count as resynced: an informer may take a pending change for the Sync.
type observer struct {
	live     *live
	missing  int             // Pods still to be synced
	heard    []time.Duration // by number of the change
	first    time.Duration   // of the Syncs; zero until there was one
	last     time.Duration
	resynced chan struct{} // closed when nothing is missing
	ended    chan struct{} // closed by the deletion after the last change
}

func newObserver(l *live, objects int) *observer {
	return &observer{
		live: l, missing: objects - l.hot, heard: make([]time.Duration, liveMost),
		resynced: make(chan struct{}), ended: make(chan struct{}),
	}
}

func (o *observer) OnAdd(any, bool) {}

func (o *observer) OnDelete(any) { close(o.ended) }

func (o *observer) OnUpdate(before, after any) {
	was, is := before.(*corev1.Pod), after.(*corev1.Pod)
	version, err := strconv.ParseUint(is.ResourceVersion, 10, 64)
	if err != nil {
		panic(err)
	}
	now := time.Since(o.live.began)
	if was.ResourceVersion != is.ResourceVersion {
		o.heard[version-o.live.base] = now
		return
	}
	if version >= o.live.base || version < benchkit.VersionAfter(0, o.live.hot) || o.missing == 0 {
		return
	}
	if o.first == 0 {
		o.first = now
	}
	o.missing--
	if o.missing == 0 {
		o.last = now
		close(o.resynced)
	}
}

func periodically(observers []*observer) []handler {
	handlers := make([]handler, len(observers))
	for i, o := range observers {
		handlers[i] = handler{o, resyncPeriod}
	}
	return handlers
}

// latencies are durations that somebody has measured.
type latencies []time.Duration

// quantile is the duration that the given share of them do not exceed. It is zero when there are none.
func (l latencies) quantile(share float64) time.Duration {
	if len(l) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(l))[max(0, int(math.Ceil(share*float64(len(l))))-1)]
}

// report reports the 99th percentile and the longest. A percentile of a hundred samples is one
// sample, so the number of them is reported too.
func (l latencies) report(b *testing.B) {
	b.Helper()
	b.ReportMetric(float64(l.quantile(0.99)), "p99-ns")
	b.ReportMetric(float64(l.quantile(1)), "max-ns")
	b.ReportMetric(float64(len(l)), "samples")
}

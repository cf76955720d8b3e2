package engine

import (
	"context"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/internal/testing/faulty"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// numberOr reads a size from the environment.
func numberOr(t testing.TB, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s is %q, which is not a number of objects", name, text)
	}
	return n
}

// stopwatch is a subscriber that notes how long live events took to reach it, and
// when it has been shown everything.
type stopwatch struct {
	*Subscription[faulty.Thing]

	handler time.Duration // what it takes for each delta

	mu       sync.Mutex // guards everything below
	sent     []time.Time
	took     []time.Duration
	syncs    int
	expected int
	last     time.Time     // of the Syncs
	shown    chan struct{} // closed when there were as many as expected
}

func (w *stopwatch) tell(d *delta.Delta[faulty.Thing]) {
	now := time.Now()
	if w.handler > 0 {
		defer time.Sleep(w.handler) // the lock is free by then
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch d.Op {
	case delta.Sync:
		w.syncs++
		w.last = now
		if w.syncs == w.expected {
			close(w.shown)
		}
	case delta.Updated:
		n, err := strconv.Atoi(d.New.Version)
		if err != nil {
			panic(err)
		}
		w.took = append(w.took, now.Sub(w.sent[n-2]))
	default: // the first list
	}
}

// liveEvents come from a server and reach subscribers.
type liveEvents struct {
	informer *Informer[faulty.Thing]
	group    *lifecycle.Group
	server   *crowd
	watches  []*stopwatch
	objects  int // that a resync shows
}

// resyncRate is how many objects a resync shows a second.
const resyncRate = 10_000

// send sends a live event every half millisecond until over is closed.
func (l liveEvents) send(ctx context.Context, over <-chan struct{}) {
	ticker := time.NewTicker(500 * time.Microsecond)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-over:
			return
		case <-ticker.C:
		}
		now, n := time.Now(), 0
		for _, w := range l.watches {
			w.mu.Lock()
			w.sent = append(w.sent, now)
			n = len(w.sent)
			w.mu.Unlock()
		}
		version := strconv.Itoa(n + 1)
		l.server.events <- listwatch.Event[faulty.Thing]{Delta: delta.Delta[faulty.Thing]{Op: delta.Updated, New: faulty.Thing{Name: "live", Version: version}, Version: version}}
	}
}

// newLiveEvents runs an informer of some objects, with handlers that take some time for each delta.
func newLiveEvents(t testing.TB, objects int, handler time.Duration) liveEvents {
	t.Helper()
	server := newCrowd(objects)
	server.events = make(chan listwatch.Event[faulty.Thing], 1024)
	server.things = append(server.things, faulty.Thing{Name: "live", Version: "1"})
	i := New[faulty.Thing](server, Options[faulty.Thing]{Name: "things", Traits: thingTraits,
		Reflector: reflector.Options[faulty.Thing]{Settings: informer.Settings{Lists: informer.PagesOnly}}})
	if err := i.SetScopeResync("", resync.Policy{Period: resync.Never, Rate: resyncRate}); err != nil {
		t.Fatal(err)
	}
	watches := make([]*stopwatch, 4)
	for n := range watches {
		w := &stopwatch{handler: handler}
		s, err := i.Subscribe(w.tell, informer.SubscribeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		w.Subscription, watches[n] = s, w
	}
	g := lifecycle.New(t.Context())
	g.Go("informer", i.Run)
	for _, w := range watches {
		<-w.Synced() // it has been told of the first list
	}
	return liveEvents{i, g, server, watches, objects}
}

func (l liveEvents) end(t testing.TB) {
	t.Helper()
	l.group.Stop()
	if err := l.group.Wait(); err != nil {
		t.Error(err)
	}
}

// alone measures live events for as long as a resync takes.
func (l liveEvents) alone(t testing.TB) time.Duration {
	t.Helper()
	return measure(t, l, func() { <-time.After(time.Duration(l.objects) * time.Second / resyncRate) })
}

// resynced measures live events during a resync, and says how long that took.
func (l liveEvents) resynced(t testing.TB) (during, took time.Duration) {
	t.Helper()
	began := time.Now()
	during = measure(t, l, func() {
		for _, w := range l.watches {
			w.mu.Lock()
			w.syncs, w.expected, w.shown = 0, l.objects, make(chan struct{})
			w.mu.Unlock()
		}
		if err := l.informer.Resync(nil); err != nil {
			t.Fatal(err)
		}
		for _, w := range l.watches {
			<-w.shown
		}
	})
	took = l.watches[0].last.Sub(began)
	if fastest := time.Duration(l.objects) * time.Second / resyncRate * 9 / 10; took < fastest {
		t.Errorf("%d objects were shown in %v, at %d a second", l.objects, took, resyncRate)
	}
	return during, took
}

// A resync at ten thousand objects a second does not delay what happens meanwhile. Handlers are busy with it for half of
// the time, and a live event waits for one chunk at most.
func TestLiveEventsAreNotDelayedByAResync(t *testing.T) {
	const handler, least = 50 * time.Microsecond, 5 * time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		live := newLiveEvents(t, numberOr(t, "RESYNC_OBJECTS", 5_000), handler)
		alone := live.alone(t)
		if during, _ := live.resynced(t); during > max(2*alone, least) {
			t.Errorf("the p99 of a live event is %v during a resync, and %v alone", during, alone)
		}
		live.end(t)
	})
}

// BenchmarkLiveEventsDuringAResync measures how long live events take on this machine, while handlers that do nothing are
// shown everything and while they are not. More objects:
//
//	RESYNC_OBJECTS=100000 go test -count=1 -run xxx -bench LiveEventsDuringAResync -benchtime 1x ./internal/engine
func BenchmarkLiveEventsDuringAResync(b *testing.B) {
	live := newLiveEvents(b, numberOr(b, "RESYNC_OBJECTS", 5_000), 0)
	for b.Loop() {
		alone := live.alone(b)
		during, took := live.resynced(b)
		b.ReportMetric(float64(alone), "p99-alone-ns")
		b.ReportMetric(float64(during), "p99-during-ns")
		b.ReportMetric(float64(live.objects)/took.Seconds(), "objects/s")
	}
	live.end(b)
}

// measure sends live events while something goes on, and returns the p99 of how long
// they took.
func measure(t testing.TB, live liveEvents, during func()) time.Duration {
	t.Helper()
	for _, w := range live.watches {
		w.mu.Lock()
		w.took = w.took[:0]
		w.mu.Unlock()
	}
	over, ended := make(chan struct{}), make(chan struct{})
	live.group.Guest("live events", func(ctx context.Context) {
		defer close(ended)
		live.send(ctx, over)
	})
	during()
	close(over)
	<-ended
	var all []time.Duration
	for _, w := range live.watches {
		w.mu.Lock()
		all = append(all, w.took...)
		w.mu.Unlock()
	}
	if len(all) < 100 {
		t.Fatalf("%d live events were told, which says nothing", len(all))
	}
	slices.Sort(all)
	return all[len(all)*99/100]
}

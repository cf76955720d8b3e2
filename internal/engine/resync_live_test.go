package engine

import (
	"context"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/reflector"
	"github.com/delta-runtime/delta-runtime/internal/testing/faulty"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// numberOr reads a size from the environment.
func numberOr(t *testing.T, name string, otherwise int) int {
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
	group   *lifecycle.Group
	server  *crowd
	watches []*stopwatch
}

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

// A resync at ten thousand objects a second does not delay what happens meanwhile.
// Other programs on the machine change latencies, too, and that is not a fault of the
// resync, so one round of some has to hold, and each compares within itself. More objects:
//
//	RESYNC_OBJECTS=100000 go test -run TestLiveEventsAreNotDelayedByAResync -v ./pkg/informer
func TestLiveEventsAreNotDelayedByAResync(t *testing.T) {
	const handlers, rate, rounds, least = 4, 10_000, 5, 5 * time.Millisecond
	objects := numberOr(t, "RESYNC_OBJECTS", 5_000)
	server := newCrowd(objects)
	server.events = make(chan listwatch.Event[faulty.Thing], 1024)
	server.things = append(server.things, faulty.Thing{Name: "live", Version: "1"})
	i := New[faulty.Thing](server, Options[faulty.Thing]{Name: "things", Traits: thingTraits,
		Reflector: reflector.Options[faulty.Thing]{Settings: informer.Settings{Lists: informer.PagesOnly}}})
	if err := i.SetResync(resync.Policy{Period: resync.Never, Rate: rate}); err != nil {
		t.Fatal(err)
	}
	watches := make([]*stopwatch, handlers)
	for n := range watches {
		w := &stopwatch{}
		s, err := i.Subscribe(w.tell, informer.SubscribeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		w.Subscription, watches[n] = s, w
	}
	g := lifecycle.New(t.Context())
	g.Go("informer", i.Run)
	<-i.Synced()
	live, held := liveEvents{g, server, watches}, false
	for round := 0; round < rounds && !held; round++ {
		alone := measure(t, live, func() { <-time.After(time.Duration(objects) * time.Second / rate) })
		began := time.Now()
		during := measure(t, live, func() {
			for _, w := range watches {
				w.mu.Lock()
				w.syncs, w.expected, w.shown = 0, objects, make(chan struct{})
				w.mu.Unlock()
			}
			if err := i.Resync(nil); err != nil {
				t.Fatal(err)
			}
			for _, w := range watches {
				<-w.shown
			}
		})
		took := watches[0].last.Sub(began)
		if fastest := time.Duration(objects) * time.Second / rate * 9 / 10; took < fastest {
			t.Errorf("%d objects were shown in %v, at %d a second", objects, took, rate)
		}
		held = during <= max(2*alone, least)
		t.Logf("%d objects to %d handlers in %v (%.0f a second): p99 of a live event %v, alone %v", objects, handlers,
			took.Round(time.Millisecond), float64(objects)/took.Seconds(), during, alone)
	}
	if !held {
		t.Errorf("in none of %d rounds was the p99 during a resync within twice that without, or %v", rounds, least)
	}
	g.Stop()
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
}

// measure sends live events while something goes on, and returns the p99 of how long
// they took.
func measure(t *testing.T, live liveEvents, during func()) time.Duration {
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

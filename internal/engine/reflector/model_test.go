package reflector

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/testing/faulty"
	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// usualSeeds is how many random scripts a model test plays.
const usualSeeds = 100

// TestReflectorSurvives plays random faults against a Reflector: whatever they
// are, once they cease the sink shows what the server has, the Reflector follows
// a watch, and no turn to list is lost. While they last the sink may lag behind,
// but is never told something that was not so.
func TestReflectorSurvives(t *testing.T) {
	seeds.Run(t, usualSeeds, func(t *testing.T, rng *rand.Rand) {
		synctest.Test(t, func(t *testing.T) { survive(t, rng) })
	})
}

// calm is a server without objects and faults.
func calm(t *testing.T) *faulty.Server {
	t.Helper()
	server := faulty.New(t, rand.New(rand.NewPCG(1, 1)), 1)
	server.Cease()
	return server
}

// run has a Reflector follow its server until the test ends.
func run(t *testing.T, r *Reflector[faulty.Thing]) {
	t.Helper()
	g := lifecycle.New(t.Context())
	g.Go("reflector", r.Run)
	t.Cleanup(func() {
		g.Stop()
		_ = g.Wait()
	})
}

func survive(t *testing.T, rng *rand.Rand) {
	t.Helper()
	requests := rand.New(rand.NewPCG(rng.Uint64(), 0))
	server := faulty.New(t, requests, 10)
	sink := &worldSink{t: t, server: server, world: map[string]string{}}
	limiter := NewLimiter(1 + rng.IntN(2))
	opts := Options[faulty.Thing]{
		Kind: "things", Limiter: limiter,
		OnSkip:   func(context.Context, error) {},
		Settings: informer.Settings{Lists: informer.ListMode(1 + rng.IntN(2)), PageSize: rng.Int64N(4)},
	}
	r := New(server, sink, faulty.KeyOf, opts)
	r.random = requests.Float64
	g := lifecycle.New(t.Context())
	g.Go("reflector", r.Run)

	var served <-chan struct{} // of who asked last for a list
	for range 60 {
		server.Change(rng)
		if rng.IntN(20) == 0 {
			server.Mishap(rng)
		}
		if rng.IntN(10) == 0 {
			served = r.RequestList()
		}
		// The odd microsecond keeps the server's timers from firing just now, when
		// it would be open who comes first.
		time.Sleep(time.Duration(rng.IntN(20_000))*time.Millisecond + time.Microsecond)
		synctest.Wait()
		if status := r.Status(); status.Why == "" {
			t.Error("no sentence about the state of affairs")
		}
	}
	server.Cease()
	// Twice the longest that anything may take: a stream's deadline, the longest
	// wait, and a watch that nobody ended.
	time.Sleep(time.Hour)
	server.Change(rng)
	time.Sleep(time.Minute + time.Second) // the change may have met a watch that was being opened again
	synctest.Wait()

	if got, want := fmt.Sprint(sink.world), fmt.Sprint(server.World()); got != want {
		t.Errorf("an hour after the last fault the sink shows\n%v, the server\n%v\nstatus: %s", got, want, r.Status().Why)
	}
	if status := r.Status(); status.State != Following || !status.SyncedOnce || status.Version != server.At() {
		t.Errorf("an hour after the last fault the status is %+v, the server at %v", status, server.At())
	}
	select {
	case <-served:
	default:
		if served != nil {
			t.Error("an hour after the last fault somebody still waits for a new list")
		}
	}
	g.Stop()
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
	if limiter.Taken() != 0 || limiter.Waiting() != 0 {
		t.Errorf("%d turns to list are taken and %d waited for after the end", limiter.Taken(), limiter.Waiting())
	}
	if server.Watches() != 0 {
		t.Errorf("%d watches were not closed", server.Watches())
	}
}

// worldSink builds the world from what it is told, and checks each telling.
type worldSink struct {
	t       *testing.T
	server  *faulty.Server // nil for one that never goes back
	world   map[string]string
	version int
}

func (w *worldSink) moveTo(version string) {
	n, err := strconv.Atoi(version)
	if err != nil || n < w.version {
		w.t.Errorf("told of version %q after %d", version, w.version)
	}
	w.version = n
}

func (w *worldSink) Push(d delta.Delta[faulty.Thing], version string) error {
	op, obj := d.Op, d.New
	w.moveTo(version)
	if _, exists := w.world[obj.Name]; op != delta.Added && !exists {
		w.t.Logf("%v of %v, which a partial list left out", op, obj)
	}
	if op == delta.Deleted {
		delete(w.world, obj.Name)
	} else {
		w.world[obj.Name] = obj.Version
	}
	return nil
}

func (w *worldSink) Replace(objs []faulty.Thing, r Replacement) error {
	// A server that went back may have caught up by the time of the list. Then it is up to
	// the Reflector whether it has noticed.
	n, _ := strconv.Atoi(r.Version)
	restored := w.server != nil && w.server.Restored()
	if n < w.version && !r.NewHistory || r.NewHistory && !restored {
		w.t.Errorf("list at %s after %d says new history: %v, the server was restored: %v", r.Version, w.version, r.NewHistory, restored)
	}
	w.version = 0
	w.moveTo(r.Version)
	if !r.Partial {
		clear(w.world)
	}
	for _, obj := range objs {
		w.world[obj.Name] = obj.Version
	}
	return nil
}

func (w *worldSink) Bookmark(version string) error {
	w.moveTo(version)
	return nil
}

package cache

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	patiently "github.com/delta-runtime/delta-runtime/internal/testing/await"
)

// thing is something that can be run and stopped.
type thing struct {
	// Run returns when the thing was stopped, or when its context ends. A second
	// call may return at once. Nil where the constructor starts it.
	Run func(context.Context)
	// Stops are the ways to end it other than its context. Each may be called
	// before Run, twice, and at the same time as another, and may wait for what it
	// stops, whose context has then ended or will.
	Stops []func()
	// Use is what others do with it meanwhile. Nil if there is nothing to do.
	Use func()
}

// livesAtMost is how long a test waits for something that should take an instant.
// It is a variable for the sake of TestWrongLives.
var livesAtMost = patiently.Patience

// an order is one way to live.
type order struct {
	name   string
	rounds int
	live   func(*life)
}

var orders = []order{
	{"never run", 5, func(*life) {}},
	{"stopped before it is run", 20, func(l *life) { l.stop(); l.run() }},
	{"its context ends before it is run", 20, func(l *life) { l.cancel(); l.run(); l.stop() }},
	{"its context ends", 20, func(l *life) { l.run(); l.use(); l.pause(); l.cancel() }},
	{"stopped", 20, func(l *life) { l.run(); l.use(); l.pause(); l.stop() }},
	{"stopped twice", 20, func(l *life) { l.run(); l.stop(); l.stop() }},
	{"stopped, then its context ends", 20, func(l *life) { l.run(); l.stop(); l.cancel() }},
	{"its context ends, then stopped", 20, func(l *life) { l.run(); l.cancel(); l.stop() }},
	{"run twice", 20, func(l *life) { l.run(); l.run(); l.pause(); l.cancel() }},
	{"all at once", 100, func(l *life) { l.all() }},
}

// liveEveryOrder puts the things that construct makes through every order: started, stopped and ended one after
// the other, or at once. Each call has to return, and nothing may be left behind.
func liveEveryOrder(t *testing.T, construct func() thing) {
	t.Helper()
	for _, o := range orders {
		t.Run(o.name, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			for round := range o.rounds {
				l := newLife(t, construct(), uint64(round))
				o.live(l)
				l.end()
				if t.Failed() {
					return
				}
			}
			patiently.Within(t, livesAtMost, "nothing to be left of it", func() error { return goleak.Find(before) })
		})
	}
}

// life is one of a thing, in progress.
type life struct {
	thing
	t      *testing.T
	rng    *rand.Rand
	ctx    context.Context
	cancel context.CancelFunc
	calls  sync.WaitGroup // everything that was called and has not returned
}

func newLife(t *testing.T, of thing, seed uint64) *life {
	ctx, cancel := context.WithCancel(t.Context())
	return &life{thing: of, t: t, rng: rand.New(rand.NewPCG(seed, 0)), ctx: ctx, cancel: cancel}
}

func (l *life) run() {
	if l.Run != nil {
		l.calls.Go(func() { l.Run(l.ctx) })
	}
}

// stop calls every way to stop it, in a random order.
func (l *life) stop() {
	for _, i := range l.rng.Perm(len(l.Stops)) {
		l.calls.Go(l.Stops[i])
	}
}

func (l *life) use() {
	if l.Use != nil {
		l.calls.Go(l.Use)
	}
}

// pause gives what was started a chance to get somewhere, or none.
func (l *life) pause() {
	for range l.rng.IntN(50) {
		runtime.Gosched()
	}
}

// all calls everything from goroutines of its own.
func (l *life) all() {
	what := []func(){l.run, l.stop, l.stop, l.use, l.use, l.cancel}
	l.rng.Shuffle(len(what), func(i, j int) { what[i], what[j] = what[j], what[i] })
	for _, call := range what {
		call()
		l.pause()
	}
}

// end stops it in every way there is and waits for all that was called.
func (l *life) end() {
	l.cancel()
	l.stop()
	done := make(chan struct{})
	var waiter sync.WaitGroup
	waiter.Go(func() {
		l.calls.Wait()
		close(done)
	})
	select {
	case <-done:
	case <-time.After(livesAtMost):
		stacks := make([]byte, 1<<20)
		l.t.Fatalf("something had not returned after %v:\n%s", livesAtMost, stacks[:runtime.Stack(stacks, true)])
	}
}

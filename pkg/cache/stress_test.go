package cache

import (
	"context"
	"math/rand/v2"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	crtools "k8s.io/client-go/tools/cache"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"

	patiently "github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// TestStartStop starts and stops caches in every order, while informers, handlers
// and namespaces come and go. Each call has to return, and nothing may be left behind.
func TestStartStop(t *testing.T) {
	f := newFakeAPI(t, configMap("red", "a"), configMap("blue", "a"))
	for name, order := range map[string]struct {
		rounds int
		live   func(*life)
	}{
		"never run":                         {5, func(*life) {}},
		"its context ends before it is run": {20, func(l *life) { l.cancel(); l.run() }},
		"its context ends":                  {20, func(l *life) { l.run(); l.use(); l.pause(); l.cancel() }},
		"its context ends at once":          {20, func(l *life) { l.run(); l.cancel() }},
		"run twice":                         {20, func(l *life) { l.run(); l.run(); l.pause(); l.cancel() }},
		"all at once":                       {100, (*life).all},
	} {
		t.Run(name, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			for round := range order.rounds {
				l := newLife(t, f, uint64(round))
				order.live(l)
				l.end()
				if t.Failed() {
					return
				}
			}
			patiently.Success(t, "nothing to be left of it", func() error { return goleak.Find(before) })
		})
	}
}

// life is one of a cache, in progress.
type life struct {
	*Cache
	t      *testing.T
	rng    *rand.Rand
	ctx    context.Context
	cancel context.CancelFunc
	calls  sync.WaitGroup // everything that was called and has not returned
}

func newLife(t *testing.T, f *fakeAPI, seed uint64) *life {
	t.Helper()
	opts := limitedTo("red")
	opts.HTTPClient = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // so that no idle connection is taken for a leak
	ctx, cancel := context.WithCancel(t.Context())
	return &life{Cache: newCache(t, f, opts, Options{}), t: t, rng: rand.New(rand.NewPCG(seed, 0)), ctx: ctx, cancel: cancel}
}

func (l *life) run() {
	l.calls.Go(func() { _ = l.Start(l.ctx) }) // a second Start is refused
}

// use does what others do with a cache. Any of it may come too late, and then says so.
func (l *life) use() {
	l.calls.Go(func() {
		ctx, cancel := context.WithTimeout(l.t.Context(), time.Second)
		defer cancel()
		if i, err := l.GetInformer(ctx, configMaps); err == nil {
			if h, err := i.AddEventHandler(crtools.ResourceEventHandlerFuncs{}); err == nil {
				_ = i.RemoveEventHandler(h)
			}
		}
		_ = l.List(ctx, &corev1.ConfigMapList{})
		_ = l.AddNamespace(ctx, "blue", crcache.Config{})
		_ = l.RemoveInformer(ctx, configMaps)
		_ = l.List(ctx, &corev1.SecretList{})
		_ = l.RemoveNamespace(ctx, "blue", informer.Silently)
		l.Status()
	})
}

// pause gives what was started a chance to get somewhere, or none.
func (l *life) pause() {
	for range l.rng.IntN(50) {
		runtime.Gosched()
	}
}

// all calls everything from goroutines of its own.
func (l *life) all() {
	what := []func(){l.run, l.use, l.use, l.cancel}
	l.rng.Shuffle(len(what), func(i, j int) { what[i], what[j] = what[j], what[i] })
	for _, call := range what {
		call()
		l.pause()
	}
}

// end ends it, and waits for all that was called.
func (l *life) end() {
	l.cancel()
	done := make(chan struct{})
	var waiter sync.WaitGroup
	waiter.Go(func() {
		l.calls.Wait()
		close(done)
	})
	select {
	case <-done:
	case <-time.After(patiently.Patience):
		stacks := make([]byte, 1<<20)
		l.t.Fatalf("something had not returned after %v:\n%s", patiently.Patience, stacks[:runtime.Stack(stacks, true)])
	}
}

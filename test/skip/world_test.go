package skip

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/rest"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	ctrlmanager "sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
	"github.com/delta-runtime/delta-runtime/pkg/cache"
	"github.com/delta-runtime/delta-runtime/pkg/manager"
)

var errCut = io.ErrUnexpectedEOF

// world is one play of a plan.
type world struct {
	*plan
	*story
	server    *server
	operators [2]*operator // first the diligent one, then the lazy one
	running   *life        // the present run of the manager; nil while it does not run
	calm      atomic.Bool  // all calls succeed
	doomed    atomic.Bool  // handlers that panic at times always panic
	departed  atomic.Bool  // a namespace is removed from the cache
	pokes     int64
	errands   atomic.Int64  // errands that have not ended
	slack     time.Duration // the longest time between two things that happen at the same moment
	memory    keptMemory
	ending    chan struct{} // closed when all faults have to end
}

// life is one run of the manager.
type life struct {
	manager ctrlmanager.Manager
	cache   *cache.Cache
	context context.Context
	stop    context.CancelFunc
	ended   chan error
	dead    atomic.Bool // it was killed: what it still does has no effect
}

// play plays a plan in a bubble, and returns its story.
func play(t *testing.T, p *plan) *story {
	t.Helper()
	told := newStory(p)
	defer telling.begin(told)()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(p, told, newServer(p.streaming))
		w.remember(t)
		w.run(t.Context())
	})
	return told
}

// newWorld returns a world that begins now.
func newWorld(p *plan, told *story, on *server) *world {
	told.began = time.Now()
	w := &world{plan: p, story: told, server: on, ending: make(chan struct{})}
	w.operators = [2]*operator{newOperator(w, diligent), newOperator(w, lazy)}
	return w
}

// run carries out the plan.
func (w *world) run(ctx context.Context) {
	for _, s := range w.births {
		s.do(w)
	}
	w.start(ctx)
	time.Sleep(time.Second)
	for _, s := range w.steps {
		time.Sleep(s.after)
		w.note(func() string { return "       " + s.what })
		s.do(w)
	}
	w.settle()
	w.stop()
	w.judge()
}

// calmly is the time to come to rest. No pause is longer, neither of a queue after several
// failures, nor of a reflector or a source.
const calmly = 3 * time.Minute

// settle ends all faults, and waits until nothing happens any more.
func (w *world) settle() {
	time.Sleep(100 * time.Millisecond)
	w.note(func() string { return "       all faults end, and calls succeed" })
	w.calm.Store(true)
	close(w.ending)
	for w.errands.Load() > 0 {
		time.Sleep(50 * time.Millisecond)
	}
	if w.server.real != nil {
		w.server.real.settle(w)
		return
	}
	time.Sleep(calmly)
	if w.poked {
		w.note(func() string { return "       each primary object is poked" })
		for _, id := range w.objects(w.primary()) {
			w.poke(id)
		}
		time.Sleep(calmly)
	}
	synctest.Wait()
}

// errand does something beside the script. The world waits for it at the end.
func (w *world) errand(do func()) {
	w.errands.Add(1)
	go func() {
		defer w.errands.Add(-1)
		do()
	}()
}

// lasting calls right after a while, or when the world ends.
func (w *world) lasting(length time.Duration, right func()) {
	w.errand(func() {
		select {
		case <-time.After(length):
		case <-w.ending:
		}
		right()
	})
}

// start starts a manager with both operators.
func (w *world) start(ctx context.Context) {
	options := ctrlmanager.Options{
		Metrics: metricsserver.Options{BindAddress: "0"}, HealthProbeBindAddress: "0",
		MapperProvider: func(*rest.Config, *http.Client) (meta.RESTMapper, error) { return newMapper(), nil },
		Controller:     config.Controller{SkipNameValidation: new(true)},
	}
	if w.has(departures) {
		options.Cache.DefaultNamespaces = map[string]crcache.Config{}
		for _, namespace := range w.namespaces {
			options.Cache.DefaultNamespaces[namespace] = crcache.Config{}
		}
	}
	if w.odd != nil {
		options.Cache.ByObject = map[client.Object]crcache.ByObject{w.odd.typed(): {Transform: oddly}}
	}
	more := cache.Options{}
	if w.has(hiding) {
		more.Default.ShowUnchanged = new(false)
	}
	if w.server.real != nil {
		more.Default.Reflector = w.server.real.settings()
	}
	if err := manager.Configure(&options, append(w.withMemory(), manager.WithCache(more))...); err != nil {
		panic(fmt.Sprintf("configure a manager: %v", err))
	}
	m, err := ctrlmanager.New(w.server.config(), options)
	if err != nil {
		panic(fmt.Sprintf("make a manager: %v", err))
	}
	ours, err := cache.Unwrap(m.GetCache())
	if err != nil {
		panic(err)
	}
	l := &life{manager: m, cache: ours, ended: make(chan error, 1)}
	l.context, l.stop = context.WithCancel(ctx)
	for _, o := range w.operators {
		if err := o.build(l); err != nil {
			panic(fmt.Sprintf("build a controller: %v", err))
		}
	}
	w.running = l
	go func() { l.ended <- m.Start(l.context) }()
	select {
	case <-m.Elected():
	case err := <-l.ended:
		panic(fmt.Sprintf("the manager ended at once: %v", err))
	}
}

// stop stops the manager.
func (w *world) stop() {
	w.running.stop()
	if err := <-w.running.ended; err != nil {
		w.fail("the manager ended with: %v", err)
	}
	w.running.hangUp()
	w.running = nil
}

// hangUp closes the connections of a manager that has ended.
func (l *life) hangUp() { controlplane.HangUp(l.manager.GetHTTPClient()) }

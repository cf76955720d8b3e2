package skip

import (
	"context"
	"errors"
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
	"sigs.k8s.io/controller-runtime/pkg/event"
	ctrlmanager "sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/delta-runtime/delta-runtime/pkg/cache"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/manager"
)

var errCut = io.ErrUnexpectedEOF

// world is one play of a plan.
type world struct {
	*plan
	*story
	server    *server
	operators [2]*operator // the diligent one and the lazy one
	running   *life        // of the manager; nil while it does not run
	calm      atomic.Bool  // everything succeeds
	drowsy    atomic.Bool  // handlers that map sleep for long
	doomed    atomic.Bool  // handlers that panic now and then do so every time
	departed  atomic.Bool  // a namespace is away
	pokes     int64
	errands   atomic.Int64  // that have not ended yet
	slack     time.Duration // how far apart things may be that happen at one moment
	ending    chan struct{} // closed when what is out of order is to be put right
}

// life is one run of the manager.
type life struct {
	manager ctrlmanager.Manager
	cache   *cache.Cache
	context context.Context
	stop    context.CancelFunc
	ended   chan error
}

// play plays a plan in a bubble, and returns its story.
func play(t *testing.T, p *plan) *story {
	t.Helper()
	told := newStory(p)
	defer telling.begin(told)()
	synctest.Test(t, func(t *testing.T) {
		newWorld(p, told, newServer(p.streaming)).run(t.Context())
	})
	return told
}

// newWorld is a world that begins now.
func newWorld(p *plan, told *story, on *server) *world {
	told.began = time.Now()
	w := &world{plan: p, story: told, server: on, ending: make(chan struct{})}
	w.operators = [2]*operator{newOperator(w, diligent), newOperator(w, lazy)}
	return w
}

// run has everything happen that the plan says.
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

// calmly is how long everybody gets to come to rest. Nothing that waits does so for
// longer: neither a queue after several failures, nor a reflector or a source.
const calmly = 3 * time.Minute

// settle has all faults end, and waits until nothing happens any more.
func (w *world) settle() {
	time.Sleep(100 * time.Millisecond)
	w.note(func() string { return "       everything is put right, and calls succeed" })
	w.calm.Store(true)
	close(w.ending)
	for w.errands.Load() > 0 {
		time.Sleep(50 * time.Millisecond)
	}
	if w.server.real != nil {
		w.settleReally()
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

// poke changes a primary object where no work depends on it.
func (w *world) poke(id objectID) {
	w.pokes++
	var value any = fmt.Sprint("poke", w.pokes)
	if id.kind == deployment {
		value = w.pokes
	}
	w.change(id, setting{id.kind.poke, value})
}

// errand does something beside the script. The world waits for it in the end.
func (w *world) errand(do func()) {
	w.errands.Add(1)
	go func() {
		defer w.errands.Add(-1)
		do()
	}()
}

// lasting does something now, and puts it right after a while or when the world ends.
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
		more.Default.Reflector = soon
	}
	if err := manager.Configure(&options, manager.WithCache(more)); err != nil {
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
		w.fail(outOfTheWorld, "the manager ended with: %v", err)
	}
	w.running.hangUp()
	w.running = nil
}

func (w *world) restart(length time.Duration) {
	w.stop()
	time.Sleep(length)
	w.note(func() string { return "       the manager starts again" })
	for _, o := range w.operators {
		o.forget()
	}
	w.start(context.Background())
}

// change creates an object or changes it.
func (w *world) change(id objectID, all ...setting) {
	version := w.server.change(id, func(object map[string]any) {
		for _, s := range all {
			s.place.set(object, s.value)
		}
	})
	w.note(func() string { return fmt.Sprintf("       %s is at %d: %s", id, version, w.sketch(id, version)) })
}

// alter changes an object that is there.
func (w *world) alter(id objectID, s setting) {
	if w.server.present(id) != nil {
		w.change(id, s)
	}
}

func (w *world) remove(id objectID) {
	if version := w.server.remove(id); version != 0 {
		w.note(func() string { return fmt.Sprintf("       %s is gone at %d", id, version) })
	}
}

// lose has no list or watch succeed at a door for a while, and forgets what happened.
func (w *world) lose(d door, status int, length time.Duration) {
	if r := w.server.real; r != nil {
		light := r.darken()
		w.lasting(length, func() {
			r.compact()
			light()
			w.note(func() string { return "       the line is up again" })
		})
		return
	}
	w.server.treat(d, func(m *manners) { m.refuses = status })
	w.server.cut(d, errCut)
	w.lasting(length, func() {
		w.server.compact()
		w.server.treat(d, func(m *manners) { m.refuses = 0 })
		w.note(func() string { return fmt.Sprintf("       %s can be watched again", d) })
	})
}

func (w *world) hold(d door, length time.Duration) {
	w.server.treat(d, func(m *manners) { m.holds = true })
	w.lasting(length, func() {
		w.server.treat(d, func(m *manners) { m.holds = false })
		w.note(func() string { return fmt.Sprintf("       the watch of %s goes on", d) })
	})
}

func (w *world) removeInformer(d door) {
	if err := w.running.cache.RemoveInformer(w.running.context, d.kind.example(d.form)); err != nil {
		w.fail(outOfTheWorld, "remove the informer of %s: %v", d, err)
	}
}

func (w *world) depart(namespace string, how informer.Removal, length time.Duration) {
	if !w.departed.CompareAndSwap(false, true) {
		return
	}
	l := w.running
	w.errand(func() {
		defer w.departed.Store(false)
		if err := l.cache.RemoveNamespace(l.context, namespace, how); err != nil {
			w.fail(outOfTheWorld, "remove namespace %s from the cache: %v", namespace, err)
			return
		}
		select {
		case <-time.After(length):
		case <-w.ending:
		}
		err := l.cache.AddNamespace(l.context, namespace, crcache.Config{})
		if err != nil && l.context.Err() == nil {
			w.fail(outOfTheWorld, "add namespace %s to the cache again: %v", namespace, err)
		}
		w.note(func() string { return fmt.Sprintf("       namespace %s is back", namespace) })
	})
}

// uproot removes a custom kind from the server with all its objects.
func (w *world) uproot(k *kind, length time.Duration) {
	for _, id := range w.objects(k) {
		w.remove(id)
	}
	if w.server.real != nil {
		w.lasting(length, w.server.real.uproot(k))
		return
	}
	for _, f := range []form{typedForm, mapForm, metadataForm} {
		w.lose(door{k, f}, http.StatusNotFound, length)
	}
}

func (w *world) resync(d door) {
	if err := w.running.cache.Resync(w.running.context, d.kind.example(d.form), nil); err != nil && !w.has(latecomers) { // or there may be no informer yet
		w.fail(outOfTheWorld, "resync %s: %v", d, err)
	}
}

// relist asks for a new list, and does not wait for it.
func (w *world) relist(d door) {
	l := w.running
	w.errand(func() {
		_ = l.cache.Relist(l.context, d.kind.example(d.form)) // which may not be possible just now
	})
}

// ring sends an event through the operators' channels.
func (w *world) ring(id objectID) {
	obj := id.kind.example(metadataForm)
	obj.SetNamespace(id.namespace)
	obj.SetName(id.name)
	for _, o := range w.operators {
		select {
		case o.bell <- event.GenericEvent{Object: obj}:
		default: // as long as it does not run
		}
	}
}

// ownWrite changes an object as the manager's own client.
func (w *world) ownWrite(id objectID, value any) {
	if w.server.real == nil {
		w.writeAsManager(id, value)
	} else {
		w.server.real.written(id, func() string { return w.writeAsManager(id, value) })
	}
}

// writeAsManager returns the new version, or nothing if it can't write.
func (w *world) writeAsManager(id objectID, value any) (version string) {
	obj := id.kind.example(mapForm)
	key := client.ObjectKey{Namespace: id.namespace, Name: id.name}
	if err := w.running.manager.GetAPIReader().Get(w.running.context, key, obj); err != nil {
		return ""
	}
	obj.SetAnnotations(map[string]string{"note": text(value)})
	if err := w.running.manager.GetClient().Update(w.running.context, obj); err != nil {
		if !errors.Is(err, context.Canceled) {
			w.note(func() string { return fmt.Sprintf("       which failed: %v", err) })
		}
		return ""
	}
	return obj.GetResourceVersion()
}

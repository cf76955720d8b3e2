package sim

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// constructor makes the informer under test.
type constructor func(cache.ListerWatcher, kruntime.Object, time.Duration, cache.Indexers) cache.SharedIndexInformer

// outcome is the result of a run.
type outcome struct {
	script    *script
	told      map[string]sequences // by handler
	order     []string             // of the handlers
	entries   []*entry
	complaint string // what is wrong with the run without a comparison; empty if nothing
}

// registered is a handler and its registration.
type registered struct {
	*recorder
	registration cache.ResourceEventHandlerRegistration
	resync       time.Duration
	cut          int // the position in the transcript at which it joined; -1: unknown
	removed      bool
	left         int // the position in the transcript when it was removed
	callsAtEnd   int // how many calls it had when it was removed; -1: more may follow

	mu         sync.Mutex // guards what follows
	synced     bool
	syncedAt   int  // how many calls had returned when its registration had synced
	syncedLate bool // the informer had not synced by then
}

// runner runs one script against one informer, in a bubble of its own.
type runner struct {
	ctx      context.Context
	script   *script
	server   *server
	informer cache.SharedIndexInformer
	handlers []*registered
	indexers cache.Indexers // every index that the informer has
	writers  sync.WaitGroup

	running bool
	cancel  context.CancelFunc
	ended   chan struct{} // closed when Run has returned
	over    chan struct{} // closed when the bubble is about to end

	mu       sync.Mutex // guards everything below
	failures []string
	indexed  map[string]int64 // the newest revision that the index function has seen
	atSync   []uint64         // hashes of the store when HasSynced turned true
}

// settleLimit is longer than any script needs: three streaming lists that never end take half
// an hour, and after each fault there is a back-off of a minute.
const settleLimit = 3 * time.Hour

// sinceStart is the time since the start of the bubble. Each bubble starts at the same
// moment.
func sinceStart() time.Duration {
	return time.Since(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC))
}

// run plays the script with the informer that make makes.
func run(t *testing.T, s *script, make constructor) *outcome {
	o := &outcome{script: s, told: map[string]sequences{}}
	defer func() {
		if crash := recover(); crash != nil {
			panic(fmt.Sprintf("%v\n%v", crash, s))
		}
	}()
	synctest.Test(t, func(*testing.T) {
		r := newRunner(s, make)
		for _, st := range s.steps {
			st.run(r)
			if !s.storm() && r.running && !r.settle() {
				break
			}
		}
		r.writers.Wait()
		r.heal()
		if r.settle() {
			r.checkEnd()
		}
		r.stop()
		r.checkRun()
		for _, h := range r.handlers {
			o.told[h.name] = h.sequences()
			o.order = append(o.order, h.name)
		}
		o.entries = r.server.log.taken()
		o.complaint = strings.Join(r.failures, "\n")
	})
	return o
}

func newRunner(s *script, make constructor) *runner {
	r := &runner{
		script:  s,
		server:  newServer(s.server),
		ctx:     klog.NewContext(context.Background(), logr.Discard()),
		ended:   newSignal(),
		over:    newSignal(),
		indexed: map[string]int64{},
	}
	r.indexers = cache.Indexers{"color": indexByColor, cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
	var lw cache.ListerWatcher = r.server
	if s.noStreams {
		lw = withoutStreams{r.server}
	}
	r.informer = make(lw, &corev1.ConfigMap{}, s.resync, cache.Indexers{
		"color":              r.indexSlowly,
		cache.NamespaceIndex: cache.MetaNamespaceIndexFunc,
	})
	if s.transform {
		if err := r.informer.SetTransform(mark); err != nil {
			r.fail("set transform: %v", err)
		}
	}
	return r
}

func newSignal() chan struct{} { return make(chan struct{}) }

// withoutStreams is the server for a client that does not support streaming lists.
type withoutStreams struct{ *server }

func (withoutStreams) IsWatchListSemanticsUnSupported() bool { return true }

func (r *runner) fail(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, fmt.Sprintf("[%v] ", sinceStart())+fmt.Sprintf(format, args...))
}

func (r *runner) letWritersGo() {
	for _, list := range r.script.writers {
		r.writers.Go(func() {
			for _, w := range list {
				time.Sleep(w.after)
				r.server.write(w.write)
			}
		})
	}
}

// settle waits until the informer has everything and has told it to every handler. The
// bubble's clock jumps meanwhile, so back-offs and slow handlers cost nothing.
func (r *runner) settle() bool {
	pause := 10 * time.Millisecond
	for waited := time.Duration(0); waited < settleLimit; waited += pause {
		synctest.Wait()
		if r.server.caughtUp() && r.handlersIdle() {
			r.server.setFaults(nil)
			return true
		}
		time.Sleep(pause)
		pause = min(2*pause, 3100*time.Millisecond) // not a multiple of any resync period
	}
	r.fail("the informer did not catch up within %v", settleLimit)
	return false
}

func (r *runner) handlersIdle() bool {
	for _, h := range r.handlers {
		if !h.removed && !h.idle() {
			return false
		}
	}
	return true
}

// heal ends every disturbance.
func (r *runner) heal() {
	r.server.setFaults(nil)
	r.server.setStalled(false)
	r.server.setGate(gateOpen)
}

// stop ends the informer, and checks that it ends everything that it has started.
func (r *runner) stop() {
	r.cancel()
	select {
	case <-r.ended:
	case <-time.After(time.Hour):
		r.fail("Run had not returned an hour after its context ended")
	}
	if !r.informer.IsStopped() {
		r.fail("IsStopped is false after Run has returned")
	}
	if _, err := r.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{}); err == nil {
		r.fail("a stopped informer accepted a handler")
	}
	r.server.cut(faultNone)
	close(r.over)
	time.Sleep(time.Minute) // a handler that was removed may still be in its last call
}

// mark is a transform. It may be applied twice: client-go does so with the objects of a
// streaming list.
func mark(obj any) (any, error) {
	o := obj.(*corev1.ConfigMap)
	o.Data = map[string]string{"transformed": "yes"}
	return o, nil
}

func (r *runner) checkObject(o *corev1.ConfigMap) error {
	if got := o.Data["transformed"] == "yes"; got != r.script.transform {
		return fmt.Errorf("%s@%d: transformed is %v, want %v", keyOf(o), o.Generation, got, r.script.transform)
	}
	return nil
}

func indexByColor(obj any) ([]string, error) {
	return []string{obj.(*corev1.ConfigMap).Labels["color"]}, nil
}

// indexByParity gives some objects two values and some none.
func indexByParity(obj any) ([]string, error) {
	return [][]string{{}, {"odd"}, {"even"}, {"even", "odd"}}[obj.(*corev1.ConfigMap).Generation%4], nil
}

// indexSlowly is an index function that lets all other goroutines run while an object is put
// into the store. In this moment a change of the object, a relist or a resync can go wrong.
func (r *runner) indexSlowly(obj any) ([]string, error) {
	o := obj.(*corev1.ConfigMap)
	if r.indexedFirst(keyOf(o), o.Generation) && r.informer.HasSynced() {
		if first, ok := r.server.log.firstList()[keyOf(o)]; ok && first.rev == o.Generation {
			r.fail("HasSynced is true while %s@%d of the first list is not yet in the store", keyOf(o), o.Generation)
		}
	}
	for range r.script.spin {
		runtime.Gosched()
	}
	return indexByColor(obj)
}

func (r *runner) indexedFirst(key string, rev int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if rev <= r.indexed[key] {
		return false
	}
	r.indexed[key] = rev
	return true
}

// watchSynced looks at the store at the moment when HasSynced becomes true.
func (r *runner) watchSynced() {
	go func() {
		select {
		case <-r.informer.HasSyncedChecker().Done():
		case <-r.over:
			return
		}
		sum, _ := probe(r.informer.GetStore())
		r.mu.Lock()
		r.atSync = append(r.atSync, sum)
		r.mu.Unlock()
	}()
}

// watchRegistration looks at a handler at the moment when its registration says that it has
// been told the initial list.
func (r *runner) watchRegistration(h *registered) {
	go func() {
		select {
		case <-h.registration.HasSyncedChecker().Done():
		case <-r.over:
			return
		}
		calls, synced := h.done(), r.informer.HasSynced()
		h.mu.Lock()
		defer h.mu.Unlock()
		h.synced, h.syncedAt, h.syncedLate = true, calls, !synced
	}()
}

func sortedNames(m cache.Indexers) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

package cache

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	crtools "k8s.io/client-go/tools/cache"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	patiently "github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/pkg/toolscache"
)

// newCache returns a cache over the fake API.
func newCache(t *testing.T, f *fakeAPI, opts crcache.Options, ours Options) *Cache {
	t.Helper()
	opts.Mapper = fakeMapper()
	c, err := NewWithOptions(f.config(), opts, ours)
	must(t, err)
	return c
}

// start runs a cache until the test ends, or stop is called.
func start(t testing.TB, c crcache.Cache) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	group := lifecycle.New(ctx)
	group.Go("cache", func(ctx context.Context) error { return c.Start(ctx) })
	stop = func() {
		cancel()
		if err := group.Wait(); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(stop)
	if !c.WaitForCacheSync(t.Context()) {
		t.Fatal("the cache has not synced")
	}
	return stop
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// informerOf returns the informer of an object's kind.
func informerOf(t testing.TB, c crcache.Cache, obj client.Object, opts ...crcache.InformerGetOption) crcache.Informer {
	t.Helper()
	i, err := c.GetInformer(t.Context(), obj, opts...)
	must(t, err)
	return i
}

// handle has a handler called of what an informer tells.
func handle(t *testing.T, i crcache.Informer, handler crtools.ResourceEventHandler) crtools.ResourceEventHandlerRegistration {
	t.Helper()
	registered, err := i.AddEventHandler(handler)
	must(t, err)
	return registered
}

func configMap(namespace, name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"name": name}}}
}

func get(t *testing.T, c crcache.Cache, namespace, name string) error {
	t.Helper()
	return c.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, &corev1.ConfigMap{})
}

func TestReadsAndItsErrors(t *testing.T) {
	f := newFakeAPI(t, configMap("red", "a"))
	c := newCache(t, f, crcache.Options{}, Options{})
	var notStarted *crcache.ErrCacheNotStarted
	if err := get(t, c, "red", "a"); !errors.As(err, &notStarted) {
		t.Errorf("reading before Start returns %v, want ErrCacheNotStarted", err)
	}
	start(t, c)
	if err := get(t, c, "red", "a"); err != nil {
		t.Error(err)
	}
	if err := get(t, c, "red", "b"); !apierrors.IsNotFound(err) {
		t.Errorf("reading an absent object returns %v, want not found", err)
	}
	if err := c.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "informer already started") {
		t.Errorf("the second Start returns %v", err)
	}
	if _, err := c.GetInformerForKind(t.Context(), schema.GroupVersionKind{Version: "v1", Kind: "Nothing"}); err == nil {
		t.Error("there is an informer for a kind that no scheme has")
	}
	if err := c.Get(t.Context(), client.ObjectKey{Name: "p"}, &corev1.Pod{}); !meta.IsNoMatchError(err) {
		t.Errorf("reading a kind that the server does not have returns %v", err)
	}
	if len(*c.kinds.Load()) != 1 {
		t.Error("a kind that could not be made stays in the cache")
	}
}

func TestAnInformerCanBeRemovedAndAskedForAgain(t *testing.T) {
	f := newFakeAPI(t, configMap("red", "a"))
	c := newCache(t, f, crcache.Options{}, Options{})
	stop := start(t, c)
	first := informerOf(t, c, configMaps)
	if _, ok := first.(crtools.SharedIndexInformer); !ok {
		t.Errorf("the informer is a %T, which can't be used as a SharedIndexInformer", first)
	}
	registered := handle(t, first, crtools.ResourceEventHandlerFuncs{})
	must(t, c.RemoveInformer(t.Context(), configMaps))
	second := informerOf(t, c, configMaps)
	if first == second || second.IsStopped() || !second.HasSynced() {
		t.Error("the second informer is the first, or does not run")
	}
	<-registered.(interface{ ShutdownChan() <-chan struct{} }).ShutdownChan()
	if err := get(t, c, "red", "a"); err != nil {
		t.Error(err)
	}
	stop()
	if !first.IsStopped() || !second.IsStopped() {
		t.Error("an informer still runs")
	}
}

// TestWaitingEnds checks that callers do not wait for ever for a kind that does not sync.
func TestWaitingEnds(t *testing.T) {
	f := newFakeAPI(t)
	f.deny("secrets", 403)
	c := newCache(t, f, crcache.Options{}, Options{})
	stop := start(t, c)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := c.Get(ctx, client.ObjectKey{Name: "a"}, &corev1.Secret{})
	if !apierrors.IsTimeout(err) || !strings.Contains(err.Error(), "failed waiting for *v1.Secret Informer to sync") {
		t.Errorf("reading with a context that has ended returns %v, want a timeout", err)
	}
	for name, end := range map[string]func(){
		"removed": func() {
			if err := c.RemoveInformer(t.Context(), &corev1.Secret{}); err != nil {
				t.Error(err)
			}
		},
		"stopped": stop,
	} {
		waiting := lifecycle.New(t.Context())
		asked := make(chan struct{})
		waiting.Go(name, func(ctx context.Context) error {
			if _, err := c.GetInformer(ctx, &corev1.Secret{}, crcache.BlockUntilSynced(false)); err != nil {
				return err
			}
			close(asked)
			_, err := c.GetInformer(ctx, &corev1.Secret{})
			if err == nil || ctx.Err() != nil {
				t.Errorf("%s: waiting for the informer ends with %v", name, err)
			}
			return nil
		})
		<-asked
		end()
		if err := waiting.Wait(); err != nil && name != "stopped" {
			t.Error(err)
		}
		if name == "stopped" {
			break
		}
	}
}

// TestSelectorsReachTheServer checks that lists have the selectors of the options.
func TestSelectorsReachTheServer(t *testing.T) {
	f := newFakeAPI(t, configMap("red", "a"), configMap("blue", "a"))
	c := newCache(t, f, crcache.Options{ByObject: map[client.Object]crcache.ByObject{configMaps: {
		Namespaces: map[string]crcache.Config{"red": {LabelSelector: parse(t, "name=a")}, "": {}},
	}}}, Options{})
	start(t, c)
	if err := get(t, c, "blue", "a"); err != nil {
		t.Error(err)
	}
	lists := f.lists()
	for _, want := range []string{"/api/v1/namespaces/red/configmaps?name=a&", "/api/v1/configmaps?&metadata.namespace!=red"} {
		if lists[want] == 0 {
			t.Errorf("there was no request for %s; the requests are %v", want, lists)
		}
	}
}

// TestForeignInformers asks for our cache with other informers, and so gets controller-runtime's.
// The log has to say so, and so do the errors of functions that only our cache has.
func TestForeignInformers(t *testing.T) {
	var logged lines
	f := newFakeAPI(t, configMap("red", "a"))
	opts := crcache.Options{Mapper: fakeMapper(), NewInformer: crtools.NewSharedIndexInformer}
	c, err := newLogged(f.config(), opts, logged.logger())
	must(t, err)
	start(t, c)
	if _, ours := informerOf(t, c, configMaps).(toolscache.SharedInformer); ours {
		t.Error("the informer is ours")
	}
	if err := get(t, c, "red", "a"); err != nil {
		t.Error(err)
	}
	if _, err := NewWithOptions(f.config(), opts, Options{}); err == nil || !strings.Contains(err.Error(), "NewInformer") {
		t.Errorf("NewWithOptions over foreign informers returns %v", err)
	}
	if said := logged.String(); strings.Count(said, "\n") != 1 || !strings.Contains(said, "NewInformer") || !strings.Contains(said, "controller-runtime's cache") {
		t.Errorf("the log says %q, want one line that says which cache this is, and why", said)
	}
	if _, err := Unwrap(c); err == nil || !strings.Contains(err.Error(), "NewInformer") {
		t.Errorf("looking for our cache returns %v, want an error that says why this is another one", err)
	}
	opts.NewInformer = nil
	if _, err := newLogged(f.config(), opts, logged.logger()); err != nil || strings.Count(logged.String(), "\n") != 1 {
		t.Errorf("for our own cache the log says %q (%v)", logged.String(), err)
	}
}

// TestAHandlersPanicReachesStart checks that a cache ends if a handler panics.
func TestAHandlersPanicReachesStart(t *testing.T) {
	f := newFakeAPI(t, configMap("red", "a"))
	c := newCache(t, f, crcache.Options{}, Options{})
	i := informerOf(t, c, configMaps)
	handle(t, i, crtools.ResourceEventHandlerFuncs{AddFunc: func(any) { panic("of the handler") }})
	defer func() {
		if p := recover(); !strings.Contains(fmt.Sprint(p), "of the handler") {
			t.Errorf("Start panicked with %v", p)
		}
		if err := c.Get(t.Context(), client.ObjectKey{Namespace: "red", Name: "a"}, &corev1.Secret{}); !errors.Is(err, errStopped) {
			t.Errorf("reading a cache that has stopped returns %v", err)
		}
	}()
	t.Errorf("Start returned %v", c.Start(t.Context()))
}

// tasks is how many goroutines there are that this module started.
func tasks() int {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	return strings.Count(string(stacks), "created by github.com/delta-runtime/delta-runtime/internal/base/lifecycle.")
}

// A kind with a handler has four goroutines: one applies what comes, one lists and watches,
// one keeps time, and one calls the handler.
func TestAKindTakesFourGoroutines(t *testing.T) {
	f := newFakeAPI(t, configMap("red", "a"))
	c := newCache(t, f, crcache.Options{}, Options{})
	start(t, c)
	before := tasks()
	i := informerOf(t, c, configMaps)
	called := make(chan struct{})
	handle(t, i, crtools.ResourceEventHandlerFuncs{AddFunc: func(any) { close(called) }})
	<-called
	// The one that made the informer may not have ended yet.
	patiently.Success(t, "four goroutines", func() error {
		if n := tasks() - before; n > 4 {
			return fmt.Errorf("a kind with one handler takes %d goroutines", n)
		}
		return nil
	})
}

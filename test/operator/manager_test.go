package operator

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
	"github.com/delta-runtime/delta-runtime/pkg/cache"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/queue/ctrlqueue"
)

// managerOptions returns the options of a manager that uses our cache and serves
// nothing.
func managerOptions() manager.Options {
	options := basicOptions()
	options.NewCache = cache.New
	return options
}

// basicOptions returns the options of a manager that serves nothing.
func basicOptions() manager.Options {
	return manager.Options{
		Scheme:                  newScheme(),
		Metrics:                 metricsserver.Options{BindAddress: "0"},
		HealthProbeBindAddress:  "0",
		GracefulShutdownTimeout: new(time.Minute),
		// Names have to be unique only for metrics, and tests make the same controller again and
		// again.
		Controller: config.Controller{SkipNameValidation: new(true)},
	}
}

func newManager(t *testing.T, server *rest.Config, options manager.Options) manager.Manager {
	t.Helper()
	m, err := manager.New(server, options)
	must(t, err)
	t.Cleanup(func() { controlplane.HangUp(m.GetHTTPClient()) })
	return m
}

// start runs a manager until stop is called or the test ends. stop returns the manager's
// error.
func start(t *testing.T, m manager.Manager) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	var ended error
	running.Go(func() { ended = m.Start(ctx) })
	stop = sync.OnceValue(func() error {
		cancel()
		running.Wait()
		controlplane.HangUp(m.GetHTTPClient())
		return ended
	})
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Errorf("the manager ended with: %v", err)
		}
	})
	return stop
}

// started runs a manager without rivals, and waits until it has started everything.
func started(t *testing.T, m manager.Manager) (stop func() error) {
	t.Helper()
	stop = start(t, m)
	await.Receive(t, "the manager to start", m.Elected())
	return stop
}

// reconciler reads the object of each request, and remembers what it has read.
type reconciler struct {
	kind   kind
	reader client.Reader

	mu    sync.Mutex // guards everything below
	seen  world      // the last version that was read of each object; deleted objects are not in it
	calls int
	odd   []error // errors that must not happen
}

func newReconciler(k kind, reader client.Reader) *reconciler {
	return &reconciler{kind: k, reader: reader, seen: world{}}
}

// Reconcile is called by a controller.
func (r *reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	object := r.kind.object()
	err := r.reader.Get(ctx, request.NamespacedName, object)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls++
	switch {
	case err == nil:
		r.seen[request.NamespacedName] = object.GetResourceVersion()
	case apierrors.IsNotFound(err):
		delete(r.seen, request.NamespacedName)
	default:
		r.odd = append(r.odd, err)
		return reconcile.Result{}, err
	}
	return reconcile.Result{}, nil
}

// saw returns what the reconciler knows about the objects in a namespace. An empty namespace
// means all of them.
func (r *reconciler) saw(namespace string) world {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := world{}
	for key, version := range r.seen {
		if namespace == "" || namespace == key.Namespace {
			w[key] = version
		}
	}
	return w
}

func (r *reconciler) called() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.calls
}

// judge checks that no read failed, except those of deleted objects.
func (r *reconciler) judge(t *testing.T) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := errors.Join(r.odd...); err != nil {
		t.Errorf("the reconciler could not read: %v", err)
	}
}

// awaitAgreement waits until the reconciler has seen what the server has.
func awaitAgreement(t *testing.T, r *reconciler, api client.Client, namespace string) {
	t.Helper()
	await.Until(t, "the reconciler of "+r.kind.Kind+" to see what the server has", func() bool {
		return r.saw(namespace).equal(worldOf(t, api, r.kind.list(), client.InNamespace(namespace)))
	})
}

// control makes a manager call a reconciler, through our queue.
func control(t *testing.T, m manager.Manager, r *reconciler) {
	t.Helper()
	must(t, builder.ControllerManagedBy(m).For(r.kind.object()).WithOptions(ourQueue()).Complete(r))
}

func ourQueue() controller.Options {
	return controller.Options{
		NewQueue: ctrlqueue.NewQueue[reconcile.Request], MaxConcurrentReconciles: 2, CacheSyncTimeout: await.Patience,
	}
}

// newManagerOfOurs makes a manager whose cache has options that only ours has.
func newManagerOfOurs(t *testing.T, server *rest.Config, options manager.Options, more cache.Options) (manager.Manager, *cache.Cache) {
	t.Helper()
	var c *cache.Cache
	options.NewCache = func(server *rest.Config, options crcache.Options) (crcache.Cache, error) {
		var err error
		if c, err = cache.NewWithOptions(server, options, more); err != nil {
			return nil, err
		}
		return c, nil
	}
	return newManager(t, server, options), c
}

// soon are settings with which the cache looks for a missing kind about every second.
var soon = informer.Settings{Backoff: informer.Backoff{Initial: 200 * time.Millisecond, Max: time.Second}}

// trouble says that a kind is missing or forbidden.
type trouble struct {
	kind  kind
	since time.Time // not earlier
}

// checkDegraded checks that Healthz and Status say that a kind is missing or forbidden, since
// when, why, and what to do.
func checkDegraded(t *testing.T, c *cache.Cache, with trouble, words ...string) {
	t.Helper()
	status := statusOf(t, c, with.kind)
	if at := status.DegradedSince; at.Before(with.since) || at.After(time.Now()) {
		t.Errorf("%s is said to be degraded since %v, want after %v", with.kind.Kind, at, with.since)
	}
	healthz := errors.Join(c.Healthz(nil), c.OptionalHealthz(nil))
	if healthz == nil {
		t.Fatalf("Healthz reports no problem without %s", with.kind.Kind)
	}
	words = append(words, status.Name, "(since "+status.DegradedSince.Format(time.RFC3339)+")")
	for _, word := range words {
		if !strings.Contains(healthz.Error(), word) {
			t.Errorf("Healthz says %q, want %q in it", healthz, word)
		}
		if !strings.Contains(status.Why, word) {
			t.Errorf("Status says %q, want %q in it", status.Why, word)
		}
	}
}

// awaitHealth waits until the cache reports no problem.
func awaitHealth(t *testing.T, c *cache.Cache) {
	t.Helper()
	await.Until(t, "Healthz to report no problem", func() bool { return c.Healthz(nil) == nil && c.OptionalHealthz(nil) == nil })
	for _, s := range c.Status() {
		if !s.Synced || !s.DegradedSince.IsZero() {
			t.Errorf("Healthz reports no problem, but Status has %s synced %t, degraded since %v", s.Name, s.Synced, s.DegradedSince)
		}
	}
}

func statusOf(t *testing.T, c *cache.Cache, k kind) cache.KindStatus {
	t.Helper()
	for _, s := range c.Status() {
		if s.GVK == k.GroupVersionKind {
			return s
		}
	}
	t.Fatalf("Status does not name %s", k.Kind)
	return cache.KindStatus{}
}

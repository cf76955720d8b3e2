package operator

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
	"github.com/delta-runtime/delta-runtime/pkg/cache"
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

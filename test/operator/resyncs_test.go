package operator

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/cache"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	drmanager "github.com/delta-runtime/delta-runtime/pkg/manager"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// causes counts the calls of a reconciler, and the causes that it is told.
type causes struct {
	mu    sync.Mutex // guards everything below
	told  map[delta.Cause]int
	calls int
}

func newCauses() *causes { return &causes{told: map[delta.Cause]int{}} }

// Reconcile is called by a controller.
func (c *causes) Reconcile(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	for change := range delta.From(ctx).All() {
		for _, cause := range []delta.Cause{delta.Primary, delta.InitialList, delta.Relist, delta.Resync} { // a change may have several causes
			if change.Is(cause) {
				c.told[cause]++
			}
		}
	}
	return reconcile.Result{}, nil
}

func (c *causes) of(cause delta.Cause) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.told[cause]
}

// take returns what the reconciler was told since the last call of take.
func (c *causes) take() (calls int, told string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	calls, told = c.calls, fmt.Sprint(c.told)
	c.calls = 0
	clear(c.told)
	return calls, told
}

// restarted is a control plane with many widgets, and controllers of them.
type restarted struct {
	plane     *controlplane.Plane
	api       client.Client
	namespace string
	manager   manager.Manager
	cache     *cache.Cache
	r         *causes
}

const manyWidgets = 31

// newRestarted runs three controllers for the same kind.
func newRestarted(t *testing.T, configure func(*manager.Options) error) *restarted {
	t.Helper()
	w := &restarted{plane: controlplane.ForTest(t, controlplane.Options{}), r: newCauses()}
	w.api = directly(t, w.plane.Config())
	define(t, w.api, widgets)
	w.namespace = newNamespace(t, w.api)
	for i := range manyWidgets {
		create(t, w.api, widgets, client.ObjectKey{Namespace: w.namespace, Name: fmt.Sprint("w", i)})
	}
	options := managerOptions()
	options.NewCache = nil
	if err := configure(&options); err != nil {
		t.Fatal(err)
	}
	w.manager = newManager(t, w.plane.Config(), options)
	var err error
	if w.cache, err = cache.Unwrap(w.manager.GetCache()); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := builder.ControllerManagedBy(w.manager).Named(fmt.Sprint("widgets-", i)).For(&Widget{}).
			WithResync(resync.Policy{Period: resync.Never}).
			WithOptions(controller.Options{CacheSyncTimeout: await.Patience}).Complete(w.r); err != nil {
			t.Fatal(err)
		}
	}
	started(t, w.manager)
	await.Until(t, "all widgets to be reconciled", func() bool { return w.r.of(delta.InitialList) == 3*manyWidgets })
	w.r.take()
	return w
}

// restart starts the API server again. Its watch cache is empty then. restart waits until the
// informer has listed again and has seen a change.
func (w *restarted) restart(t *testing.T) {
	t.Helper()
	lists := statusOf(t, w.cache, widgets).Informer.Reflector.ListedAt
	create(t, w.api, configMaps, client.ObjectKey{Namespace: w.namespace, Name: "later"})
	w.plane.KillAPIServer()
	if err := w.plane.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	await.Until(t, "the kind to be listed again", func() bool {
		return statusOf(t, w.cache, widgets).Informer.Reflector.ListedAt.After(lists)
	})
	change(t, w.api, widgets.with(client.ObjectKey{Namespace: w.namespace, Name: "w0"}, "2"))
	await.Until(t, "the controllers to be told of a change", func() bool { return w.r.of(delta.Primary) == 3 })
}

// When the API server starts again, everything is listed again, and nothing has changed. So
// nothing is reconciled, unless the options ask for it. The cause is never called a resync.
func TestARestartOfTheAPIServerIsNoResync(t *testing.T) {
	for name, tt := range map[string]struct {
		configure func(*manager.Options) error
		relisted  int
	}{
		"Configure": {func(o *manager.Options) error { return drmanager.Configure(o) }, 0},
		"Configure, and asked for": {func(o *manager.Options) error {
			return drmanager.Configure(o, drmanager.WithCache(cache.Options{Default: cache.KindOptions{ShowUnchanged: new(true)}}))
		}, 3 * manyWidgets},
		"NewCache": {func(o *manager.Options) error { o.NewCache = cache.New; return nil }, 3 * manyWidgets},
	} {
		t.Run(name, func(t *testing.T) {
			w := newRestarted(t, tt.configure)
			w.restart(t)
			await.Until(t, "the relist to be told", func() bool { return w.r.of(delta.Relist) >= tt.relisted })
			resyncs, relists := w.r.of(delta.Resync), w.r.of(delta.Relist)
			if calls, told := w.r.take(); resyncs > 0 || relists > 0 && tt.relisted == 0 || tt.relisted == 0 && calls != 3 {
				t.Errorf("one of %d objects was changed after the restart; each of three controllers made a third of %d calls, for %s", manyWidgets, calls, told)
			}
		})
	}
}

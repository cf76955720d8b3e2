package operator

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
	"github.com/delta-runtime/delta-runtime/internal/testing/scrape"
	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/inspect"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
	drmanager "github.com/delta-runtime/delta-runtime/pkg/manager"
)

// wrappedCache is a user's own around what Configure has chosen. Nobody can tell what is in it.
type wrappedCache struct{ crcache.Cache }

// wrapped are the options of managers whose caches are wrapped.
type wrapped struct {
	api       client.Client
	config    *rest.Config
	namespace string
	options   manager.Options

	mu  sync.Mutex // guards log
	log []string   // what controllers say that share nothing
}

func newWrapped(t *testing.T) *wrapped {
	t.Helper()
	w := &wrapped{config: administrator(t), options: basicOptions()}
	w.api = directly(t, w.config)
	w.namespace = newNamespace(t, w.api)
	w.options.Logger = funcr.New(func(_, args string) {
		if strings.Contains(args, "an inspector does not show this controller") {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.log = append(w.log, args)
		}
	}, funcr.Options{})
	if err := drmanager.Configure(&w.options); err != nil {
		t.Fatal(err)
	}
	newCache := w.options.NewCache
	w.options.NewCache = func(config *rest.Config, options crcache.Options) (crcache.Cache, error) {
		c, err := newCache(config, options)
		return wrappedCache{c}, err
	}
	return w
}

func (w *wrapped) said() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.log)
}

// told remembers of each call for one object whether all was known, and whether the last change was our own.
type told struct {
	object client.ObjectKey

	mu    sync.Mutex // guards everything below
	known []bool
	own   []bool
}

// Reconcile is called by a controller.
func (r *told) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if request.NamespacedName != r.object {
		return reconcile.Result{}, nil
	}
	changes, own := delta.From(ctx), false
	for c := range changes.All() {
		own = c.Own()
	}
	r.known, r.own = append(r.known, changes.Complete()), append(r.own, own)
	return reconcile.Result{}, nil
}

func (r *told) calls() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.known)
}

// run runs a manager with one controller. Somebody else creates its object, and the manager's client changes it. The
// controller is told all of the change, and that it is its own. The metrics say so.
func (w *wrapped) run(t *testing.T, m manager.Manager, name string) {
	t.Helper()
	r := &told{object: client.ObjectKey{Namespace: w.namespace, Name: name}}
	if err := builder.ControllerManagedBy(m).Named(name).For(&corev1.ConfigMap{}).Complete(r); err != nil {
		t.Fatal(err)
	}
	started(t, m)
	about := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: name}}
	if err := w.api.Create(t.Context(), about); err != nil {
		t.Fatal(err)
	}
	await.Until(t, "the call for a new object", func() bool { return r.calls() == 1 })
	about.Data = map[string]string{"color": "blue"}
	if err := m.GetClient().Update(t.Context(), about); err != nil {
		t.Fatal(err)
	}
	await.Until(t, "the call for a change", func() bool { return r.calls() == 2 })
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.known[1] || r.own[0] || !r.own[1] {
		t.Errorf("the calls knew all: %v, and were for own writes: %v", r.known, r.own)
	}
	await.Success(t, "the metrics to have the controller and the cache", func() error { // a call is counted when it has ended
		got := scrape.Read(t, metrics.Registry, "delta_")
		n, counted := got[fmt.Sprintf(`delta_reconcile_own_writes_total{controller=%q}`, name)]
		objects := got[`delta_cache_objects{form="",group="",kind="ConfigMap",version="v1"}`]
		if !counted || n != 1 || objects == 0 {
			return fmt.Errorf("there are %v own writes, want 1, and %v objects", n, objects)
		}
		return nil
	})
}

// TestAWrappedCacheIsInspected has two managers with the same options, whose caches a user has wrapped. Each inspector
// shows its own manager's kinds and controller, notes what happens, and has the kind resynced.
func TestAWrappedCacheIsInspected(t *testing.T) {
	w := newWrapped(t)
	for _, name := range []string{"wrapped-1", "wrapped-2"} {
		m := newManager(t, w.config, w.options)
		address := controlplane.FreeAddressForTest(t)
		if err := drmanager.AddInspector(m, inspect.Options{BindAddress: address, AllowActions: true}); err != nil {
			t.Fatal(err)
		}
		w.run(t, m, name)
		p := &page{t: t, base: "http://" + address + "/delta/"}
		p.awaitKinds("v1 ConfigMap")
		var controllers v1.ControllerList
		if p.get("v1/controllers", &controllers); len(controllers.Items) != 1 || controllers.Items[0].Name != name {
			t.Errorf("the inspector of %s shows the controllers %+v", name, controllers.Items)
		}
		key := client.ObjectKey{Namespace: w.namespace, Name: name}
		await.Success(t, "the inspector to show a change and the call for it", func() error {
			change(t, w.api, configMaps.with(key, fmt.Sprint(time.Now().UnixNano()))) // again, until the journal notes
			var why v1.Why
			p.get("v1/why", &why, "kind", "configmaps", "namespace", key.Namespace, "name", key.Name)
			if len(why.Deltas) == 0 || len(why.Told) == 0 {
				return fmt.Errorf("%+v", why)
			}
			return nil
		})
		p.post("v1/actions/resync", v1.ResyncAction{Kind: "v1 ConfigMap"})
		await.Until(t, "the resync to reach the reconciler", func() bool {
			p.get("v1/controllers", &controllers)
			return controllers.Items[0].Causes["Resync"] > 0
		})
	}
	if said := w.said(); len(said) != 0 {
		t.Errorf("the log says %q", said)
	}
}

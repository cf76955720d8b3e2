package operator

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/client-go/rest"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlmanager "sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/manager"
)

// life is one process of an operator that has a memory.
type life struct {
	api  client.Client
	stop func() error

	mu    sync.Mutex // guards everything below
	told  map[string][]delta.Changes
	lists []string // what was listed
}

// live begins a life. It ends with stop, or with the test.
func live(t *testing.T, config *rest.Config, namespace string, opts ...manager.Option) *life {
	t.Helper()
	l := &life{told: map[string][]delta.Changes{}}
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			l.asks(r)
			return next.RoundTrip(r)
		})
	})
	options := basicOptions()
	options.Cache = crcache.Options{DefaultNamespaces: map[string]crcache.Config{namespace: {}}}
	if err := manager.Configure(&options, opts...); err != nil {
		t.Fatal(err)
	}
	m := newManager(t, config, options)
	l.api = m.GetClient()
	control := builder.ControllerManagedBy(m).Named("remembering").For(&Widget{}).Owns(&appsv1.Deployment{})
	if err := control.Complete(l); err != nil {
		t.Fatal(err)
	}
	l.stop = started(t, m)
	return l
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// asks notes lists, and watches that begin with everything.
func (l *life) asks(r *http.Request) {
	query := r.URL.Query()
	plural := strings.HasSuffix(r.URL.Path, "/widgets") || strings.HasSuffix(r.URL.Path, "/deployments")
	everything := query.Get("watch") == "" || query.Get("sendInitialEvents") == "true" && query.Get("fieldSelector") == ""
	if r.Method != http.MethodGet || !plural || !everything {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lists = append(l.lists, r.URL.String())
}

// Reconcile notes what it is told.
func (l *life) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.told[request.Name] = append(l.told[request.Name], delta.From(ctx))
	return reconcile.Result{}, nil
}

func (l *life) toldOf(name string) []delta.Changes {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.told[name]
}

func (l *life) listed() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lists
}

// TestARestartGoesOn ends an operator, changes what it watches, and starts it again. The second process lists nothing, and
// tells for each object what has happened in between.
func TestARestartGoesOn(t *testing.T) {
	config := administrator(t)
	api := directly(t, config)
	namespace := newNamespace(t, api)
	dir := t.TempDir()
	with := manager.WithMemory(dir, manager.MemoryOptions{Version: "1"})
	name := func(i int) string { return fmt.Sprint("w-", i) }
	for i := range 10 {
		create(t, api, widgets, client.ObjectKey{Namespace: namespace, Name: name(i)})
	}
	first := live(t, config, namespace, with)
	for i := range 10 {
		await.Until(t, name(i)+" to be reconciled", func() bool { return len(first.toldOf(name(i))) > 0 })
	}
	if len(first.listed()) == 0 {
		t.Error("the first process has listed nothing: does the test see lists?")
	}
	before := &Widget{}
	if err := api.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name(1)}, before); err != nil {
		t.Fatal(err)
	}
	if err := first.stop(); err != nil {
		t.Fatal(err)
	}
	change(t, api, widgets.with(client.ObjectKey{Namespace: namespace, Name: name(1)}, "2"))
	remove(t, api, widgets, client.ObjectKey{Namespace: namespace, Name: name(2)})
	create(t, api, widgets, client.ObjectKey{Namespace: namespace, Name: "new"})

	second := live(t, config, namespace, with)
	for _, n := range append([]string{"new"}, name(0), name(1), name(2), name(9)) {
		await.Until(t, n+" to be reconciled", func() bool { return len(second.toldOf(n)) > 0 })
	}
	time.Sleep(time.Second)
	for n, all := range second.told {
		for _, c := range all {
			t.Logf("%s: complete %t %q %v", n, c.Complete(), c.Incomplete(), c)
			for one := range c.All() {
				t.Logf("   %v", one)
			}
		}
	}
	t.Log(second.listed())
}

var _ = ctrlmanager.Options{}

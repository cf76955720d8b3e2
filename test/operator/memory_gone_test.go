package operator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/workqueue"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	ctrlmanager "sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/cache"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/manager"
)

// rememberingManager makes a manager that has a memory, whose cache is limited to some namespaces.
func rememberingManager(t *testing.T, config *rest.Config, memory string, in crcache.Options) ctrlmanager.Manager {
	t.Helper()
	options := basicOptions()
	options.Cache = in
	if err := manager.Configure(&options, manager.WithMemory(memory, manager.MemoryOptions{})); err != nil {
		t.Fatal(err)
	}
	return newManager(t, config, options)
}

// hearsay is the events of Widgets that a handler is told.
type hearsay struct {
	mu   sync.Mutex // guards everything below
	told []string
}

// control has a controller tell the handler.
func (h *hearsay) control(t *testing.T, m ctrlmanager.Manager) {
	t.Helper()
	hear := func(what string, obj client.Object, q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.told = append(h.told, what+" "+obj.GetName())
		q.Add(reconcile.Request{NamespacedName: client.ObjectKeyFromObject(obj)})
	}
	err := builder.ControllerManagedBy(m).Named("hearsay").Watches(&Widget{}, handler.Funcs{
		CreateFunc: func(_ context.Context, e event.CreateEvent, q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
			hear("create", e.Object, q)
		},
		DeleteFunc: func(_ context.Context, e event.DeleteEvent, q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
			hear("delete", e.Object, q)
		},
	}).Complete(reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) { return reconcile.Result{}, nil }))
	if err != nil {
		t.Fatal(err)
	}
}

// awaits waits until the handler has been told so much, and checks what it is. A manager that has ended tells nothing more.
func (h *hearsay) awaits(t *testing.T, stop func() error, want ...string) {
	t.Helper()
	all := func() []string {
		h.mu.Lock()
		defer h.mu.Unlock()
		return slices.Sorted(slices.Values(h.told))
	}
	await.Until(t, fmt.Sprintf("the handler to be told %q", want), func() bool { return len(all()) >= len(want) })
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	if got := all(); !slices.Equal(got, want) {
		t.Errorf("a handler was told %q, want %q", got, want)
	}
}

// TestARefusedObjectIsNotSaidToBeGone has a process save three Widgets. One is deleted. The transform of the next process refuses another
// one, which exists all the time: a handler that cleans up after it would destroy what still exists.
func TestARefusedObjectIsNotSaidToBeGone(t *testing.T) {
	config := administrator(t)
	api := directly(t, config)
	namespace, memory := newNamespace(t, api), t.TempDir()
	for _, name := range []string{"gone", "other", "refused"} {
		create(t, api, widgets, client.ObjectKey{Namespace: namespace, Name: name})
	}
	in := crcache.Options{DefaultNamespaces: map[string]crcache.Config{namespace: {}}}
	m, h := rememberingManager(t, config, memory, in), &hearsay{}
	h.control(t, m)
	h.awaits(t, started(t, m), "create gone", "create other", "create refused")

	remove(t, api, widgets, client.ObjectKey{Namespace: namespace, Name: "gone"})
	in = crcache.Options{
		DefaultNamespaces: map[string]crcache.Config{namespace: {}},
		DefaultTransform: func(obj any) (any, error) {
			if o, ok := obj.(client.Object); ok && o.GetName() == "refused" {
				return nil, errors.New("as the test wants it")
			}
			return obj, nil
		},
	}
	m, h = rememberingManager(t, config, memory, in), &hearsay{}
	h.control(t, m)
	h.awaits(t, started(t, m), "create other", "delete gone")
}

// TestARemovedNamespaceIsNotSaidToBeGone has a process save the Widget of a namespace. In the next one the cache gets another namespace in place of that one, and
// then a controller begins, as one does that has waited to become the leader.
func TestARemovedNamespaceIsNotSaidToBeGone(t *testing.T) {
	config := administrator(t)
	api := directly(t, config)
	first, second, memory := newNamespace(t, api), newNamespace(t, api), t.TempDir()
	create(t, api, widgets, client.ObjectKey{Namespace: first, Name: "one"})
	create(t, api, widgets, client.ObjectKey{Namespace: second, Name: "two"})
	in := func() crcache.Options {
		return crcache.Options{DefaultNamespaces: map[string]crcache.Config{first: {}}}
	}
	m, h := rememberingManager(t, config, memory, in()), &hearsay{}
	h.control(t, m)
	h.awaits(t, started(t, m), "create one")

	m, h = rememberingManager(t, config, memory, in()), &hearsay{}
	stop := started(t, m)
	if _, err := m.GetCache().GetInformer(t.Context(), &Widget{}); err != nil {
		t.Fatal(err)
	}
	c := m.GetCache().(*cache.Cache) //nolint:forcetypeassert // Configure has made it
	if err := c.AddNamespace(t.Context(), second, crcache.Config{}); err != nil {
		t.Fatal(err)
	}
	if err := c.RemoveNamespace(t.Context(), first, informer.Silently); err != nil {
		t.Fatal(err)
	}
	h.control(t, m)
	h.awaits(t, stop, "create two")
}

package operator

import (
	"slices"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	toolscache "k8s.io/client-go/tools/cache"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
)

// TestEveryFormOfEveryKind has a built-in and a custom kind in the cache in all forms at
// once. It removes each form while the others stay.
func TestEveryFormOfEveryKind(t *testing.T) {
	config := administrator(t)
	api := directly(t, config)
	m := newManager(t, config, managerOptions(t))
	stop := started(t, m)
	c := m.GetCache()
	var ended []crcache.Informer
	for _, k := range []kind{configMaps, widgets} {
		for _, f := range []form{typedForm, unstructuredForm, metadataForm} {
			t.Run(k.Kind+"/"+string(f), func(t *testing.T) {
				s := subject{kind: k, form: f, cache: c, api: api, namespace: newNamespace(t, api)}
				var neighbours []*hearing
				for _, other := range []form{typedForm, unstructuredForm, metadataForm} {
					if other != f {
						neighbours = append(neighbours, listen(t, s.in(other).informer(t), s.namespace))
					}
				}
				s.followed(t)
				ended = append(ended, s.replaced(t, neighbours))
			})
		}
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	for _, i := range ended {
		if !i.IsStopped() {
			t.Error("an informer still runs after its manager has stopped")
		}
	}
}

// subject is a kind in one form.
type subject struct {
	kind      kind
	form      form
	cache     crcache.Cache
	api       client.Client
	namespace string
}

func (s subject) in(f form) subject {
	s.form = f
	return s
}

func (s subject) key(name string) client.ObjectKey {
	return client.ObjectKey{Namespace: s.namespace, Name: name}
}

func (s subject) informer(t *testing.T) crcache.Informer {
	t.Helper()
	i, err := s.cache.GetInformer(t.Context(), objectOf(s.kind, s.form))
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// followed writes an object, and checks that the handler and the reader see it.
func (s subject) followed(t *testing.T) {
	t.Helper()
	told := listen(t, s.informer(t), s.namespace)
	create(t, s.api, s.kind, s.key("a"))
	told.await(t, "add a 1")
	s.reads(t, "a", "1")
	change(t, s.api, s.kind.with(s.key("a"), "2"))
	told.await(t, "update a 2")
	s.reads(t, "a", "2")
	remove(t, s.api, s.kind, s.key("a"))
	told.await(t, "delete a 2")
	if err := s.cache.Get(t.Context(), s.key("a"), objectOf(s.kind, s.form)); !apierrors.IsNotFound(err) {
		t.Errorf("reading a deleted object returns %v, want not found", err)
	}
	if got, want := told.log(), []string{"add a 1", "update a 2", "delete a 2"}; !slices.Equal(got, want) {
		t.Errorf("the handler was told %q, want %q", got, want)
	}
}

// reads checks that Get and List show an object after a step, and nothing else.
func (s subject) reads(t *testing.T, name, step string) {
	t.Helper()
	got := objectOf(s.kind, s.form)
	if err := s.cache.Get(t.Context(), s.key(name), got); err != nil {
		t.Fatal(err)
	}
	if got.GetLabels()[stepLabel] != step {
		t.Errorf("Get shows step %q, want %s", got.GetLabels()[stepLabel], step)
	}
	if gvk := got.GetObjectKind().GroupVersionKind(); gvk != s.kind.GroupVersionKind {
		t.Errorf("Get says that the object is a %s, want %s", gvk, s.kind.GroupVersionKind)
	}
	found := worldOf(t, s.cache, listOf(s.kind, s.form), client.InNamespace(s.namespace), client.MatchingLabels{stepLabel: step})
	if !found.equal(world{s.key(name): got.GetResourceVersion()}) {
		t.Errorf("List finds %v, want only %s at %s", found, name, got.GetResourceVersion())
	}
}

// replaced removes the informer, asks for it again, and returns the new one.
func (s subject) replaced(t *testing.T, neighbours []*hearing) crcache.Informer {
	t.Helper()
	old := s.informer(t)
	told := listen(t, old, s.namespace)
	if err := s.cache.RemoveInformer(t.Context(), objectOf(s.kind, s.form)); err != nil {
		t.Fatal(err)
	}
	await.Until(t, "the removed informer to stop", old.IsStopped)
	create(t, s.api, s.kind, s.key("b"))
	again := s.informer(t)
	if again == old || again.IsStopped() {
		t.Fatal("GetInformer returns the informer that was removed")
	}
	toldAgain := listen(t, again, s.namespace)
	toldAgain.await(t, "add b 1")
	s.reads(t, "b", "1")
	change(t, s.api, s.kind.with(s.key("b"), "2"))
	toldAgain.await(t, "update b 2")
	for _, n := range neighbours {
		n.await(t, "update b 2")
	}
	if got := told.log(); len(got) > 0 {
		t.Errorf("the handler of the removed informer was told %q", got)
	}
	if same := s.informer(t); same != again {
		t.Error("GetInformer returns another informer the next time")
	}
	return again
}

// hearing records what a handler was told about the objects of a namespace.
type hearing struct {
	namespace string

	mu    sync.Mutex // guards everything below
	calls []string
}

func listen(t *testing.T, i crcache.Informer, namespace string) *hearing {
	t.Helper()
	h := &hearing{namespace: namespace}
	handle, err := i.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { h.note("add", obj) },
		UpdateFunc: func(_, obj any) { h.note("update", obj) },
		DeleteFunc: func(obj any) { h.note("delete", obj) },
	})
	if err != nil {
		t.Fatal(err)
	}
	await.Until(t, "the handler to be told about the existing objects", handle.HasSynced)
	return h
}

func (h *hearing) note(call string, obj any) {
	if marked, ok := obj.(toolscache.DeletedFinalStateUnknown); ok {
		obj = marked.Obj
	}
	o := obj.(client.Object)
	if o.GetNamespace() != h.namespace {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls = append(h.calls, call+" "+o.GetName()+" "+o.GetLabels()[stepLabel])
}

func (h *hearing) log() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.calls)
}

func (h *hearing) await(t *testing.T, call string) {
	t.Helper()
	await.Until(t, "a handler to be told: "+call, func() bool { return slices.Contains(h.log(), call) })
}

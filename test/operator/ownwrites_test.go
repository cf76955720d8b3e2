package operator

import (
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	drmanager "github.com/delta-runtime/delta-runtime/pkg/manager"
)

// TestWhoWritesReadsIt uses controller-runtime's client with consistent reads: before it
// reads from the cache, it waits until the cache has seen the client's own writes. The test
// uses the client itself, and our client around it that remembers own writes.
func TestWhoWritesReadsIt(t *testing.T) {
	for name, newClient := range map[string]client.NewClientFunc{"client": client.New, "recording client": drmanager.NewClient} {
		t.Run(name, func(t *testing.T) { whoWritesReadsIt(t, newClient) })
	}
}

func whoWritesReadsIt(t *testing.T, newClient client.NewClientFunc) {
	t.Helper()
	config := administrator(t)
	api := directly(t, config)
	namespace := newNamespace(t, api)
	options := managerOptions()
	options.Cache.DefaultNamespaces = map[string]crcache.Config{namespace: {}}
	options.Client.Cache = &client.CacheOptions{Unstructured: true, EnableReadYourWritesConsistency: new(true)}
	options.NewClient = newClient
	m := newManager(t, config, options)
	started(t, m)
	for _, k := range []kind{configMaps, widgets} {
		for _, f := range []form{typedForm, unstructuredForm} {
			t.Run(k.Kind+"/"+string(f), func(t *testing.T) {
				t.Parallel()
				w := selfReader{kind: k, form: f, client: m.GetClient()}
				for i := range 100 {
					w.live(t, client.ObjectKey{Namespace: namespace, Name: fmt.Sprintf("%s-%d", f, i)})
					if t.Failed() {
						return
					}
				}
			})
		}
	}
}

// selfReader writes objects, and reads what it has written.
type selfReader struct {
	kind   kind
	form   form
	client client.Client
}

// live creates an object, changes it and deletes it. After each step it reads.
func (w selfReader) live(t *testing.T, key client.ObjectKey) {
	t.Helper()
	for _, step := range []string{"1", "2", "3"} {
		version := w.write(t, key, step)
		got := objectOf(w.kind, w.form)
		if err := w.client.Get(t.Context(), key, got); err != nil || got.GetResourceVersion() != version {
			t.Fatalf("after step %s, Get shows version %q (error %v), want %s", step, got.GetResourceVersion(), err, version)
		}
	}
	version := w.write(t, key, "4")
	found := worldOf(t, w.client, listOf(w.kind, w.form), client.InNamespace(key.Namespace))
	if found[key] != version {
		t.Fatalf("after a write, List shows version %q, want %s", found[key], version)
	}
	gone := objectOf(w.kind, w.form)
	gone.SetNamespace(key.Namespace)
	gone.SetName(key.Name)
	must(t, w.client.Delete(t.Context(), gone))
	if err := w.client.Get(t.Context(), key, objectOf(w.kind, w.form)); !apierrors.IsNotFound(err) {
		t.Fatalf("after the deletion, Get returns %v, want not found", err)
	}
	if version, found := worldOf(t, w.client, listOf(w.kind, w.form))[key]; found {
		t.Fatalf("after the deletion, List finds version %s", version)
	}
}

// write applies a step and returns the new version. Unstructured objects are written by
// server-side apply. If they were created or updated, the client would remember the write for
// readers of the Go type.
func (w selfReader) write(t *testing.T, key client.ObjectKey, step string) (version string) {
	t.Helper()
	o := w.kind.with(key, step)
	if w.form == unstructuredForm {
		must(t, w.client.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(o), client.FieldOwner(operatorName)))
		return o.GetResourceVersion()
	}
	typed := w.kind.object()
	typed.SetNamespace(key.Namespace)
	typed.SetName(key.Name)
	write := func() error { return w.client.Create(t.Context(), typed) }
	if step != "1" {
		must(t, w.client.Get(t.Context(), key, typed))
		write = func() error { return w.client.Update(t.Context(), typed) }
	}
	typed.SetLabels(map[string]string{stepLabel: step})
	must(t, write())
	return typed.GetResourceVersion()
}

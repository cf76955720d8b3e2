package operator

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/client-go/rest"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/manager"
)

// life is one process of an operator that has a memory.
type life struct {
	api  client.Client
	line *line
	stop func() error

	mu   sync.Mutex // guards everything below
	told map[string][]delta.Changes
}

// live begins a life. It ends with stop, or with the test.
func live(t *testing.T, config *rest.Config, namespace string, opts ...manager.Option) *life {
	t.Helper()
	l := &life{told: map[string][]delta.Changes{}}
	config, l.line = newLine(t, config)
	options := basicOptions()
	options.Cache = crcache.Options{DefaultNamespaces: map[string]crcache.Config{namespace: {}}}
	must(t, manager.Configure(&options, opts...))
	m := newManager(t, config, options)
	l.api = m.GetClient()
	control := builder.ControllerManagedBy(m).Named("remembering").For(&Widget{}).Owns(&appsv1.Deployment{})
	must(t, control.Complete(l))
	l.stop = started(t, m)
	return l
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

// listed returns the lists, and the watches that begin with everything.
func (l *life) listed() []request {
	return l.line.asked(func(r request) bool {
		plural := strings.HasSuffix(r.path, "/widgets") || strings.HasSuffix(r.path, "/deployments")
		return plural && (!r.watch || r.streaming && r.fields == "")
	})
}

// TestARestartSaysWhatHasChanged ends an operator, changes what it watches, and starts it again. The second process lists as the first did.
// It is told of each object what has happened in between, and never that this is complete.
func TestARestartSaysWhatHasChanged(t *testing.T) {
	config := administrator(t)
	api := directly(t, config)
	namespace := newNamespace(t, api)
	with := manager.WithMemory(t.TempDir(), manager.MemoryOptions{})
	key := func(name string) client.ObjectKey { return client.ObjectKey{Namespace: namespace, Name: name} }
	names := []string{"same", "changed", "gone", "parent", "again"}
	for _, name := range names {
		create(t, api, widgets, key(name))
	}
	child := childOf(t, api, key("parent"))
	first := live(t, config, namespace, with)
	first.awaitAll(t, names...)
	before := &Widget{}
	must(t, api.Get(t.Context(), key("changed"), before))
	must(t, first.stop())

	change(t, api, widgets.with(key("changed"), "2"))
	change(t, api, widgets.with(key("changed"), "3"))
	remove(t, api, widgets, key("gone"))
	remove(t, api, widgets, key("again"))
	create(t, api, widgets, key("again"))
	create(t, api, widgets, key("new"))
	must(t, api.Delete(t.Context(), child))

	second := live(t, config, namespace, with)
	second.awaitAll(t, append(names, "new")...)
	for name, want := range map[string]string{
		"same":    "Restart Sync",
		"changed": "Restart Updated",
		"gone":    "Restart Deleted",
		"again":   "Restart Added, Restart Deleted",
		"new":     "Restart Added",
		"parent":  "Restart Deleted, Restart Sync",
	} {
		await.Until(t, name+" to be told "+want, func() bool { return strings.Count(second.story(name), ",") >= strings.Count(want, ",") })
		first := second.toldOf(name)[0]
		if story := second.story(name); story != want || first.Complete() || !first.Touches("spec") {
			t.Errorf("%s is told %s (%s), want %s, and that something may be missing", name, story, first.Incomplete(), want)
		}
	}
	told := slices.Collect(second.toldOf("changed")[0].All())
	old, ok := told[0].Old.(*Widget)
	if !ok || old.ResourceVersion != before.ResourceVersion || !reflect.DeepEqual(old.Spec, before.Spec) {
		t.Errorf("the old object is %v, want %v", told[0].Old, before)
	}
	if len(first.listed()) == 0 || len(second.listed()) < len(first.listed()) {
		t.Errorf("the second process has listed %v, and the first %v", second.listed(), first.listed())
	}
}

// childOf makes a deployment that a widget owns.
func childOf(t *testing.T, api client.Client, of client.ObjectKey) client.Object {
	t.Helper()
	parent := &Widget{}
	must(t, api.Get(t.Context(), of, parent))
	child := newDeployment(of.Namespace, of.Name)
	must(t, controllerutil.SetControllerReference(parent, child, api.Scheme()))
	must(t, api.Create(t.Context(), child))
	return child
}

// awaitAll waits until all have been reconciled.
func (l *life) awaitAll(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		await.Until(t, name+" to be reconciled", func() bool { return len(l.toldOf(name)) > 0 })
	}
}

// story is all that was told for a widget, in order of the words: watches have paces of their own.
func (l *life) story(name string) string {
	var parts []string
	for _, told := range l.toldOf(name) {
		for c := range told.All() {
			parts = append(parts, strings.Fields(c.String())[0]+" "+c.Op.String())
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

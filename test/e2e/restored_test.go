package e2e

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
	shared "github.com/delta-runtime/delta-runtime/internal/testing/informers"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

const (
	beforeBackup = 400  // objects that are in the backup
	afterBackup  = 1000 // writes after the backup
	// healing is how long a client may follow a history that the server has lost.
	healing = 3 * time.Minute
)

// TestARestoredServerIsNoticed restores etcd from a backup while informers run. The versions
// from after the backup that they know are then in the server's future.
func TestARestoredServerIsNoticed(t *testing.T) {
	plane := controlplane.ForTest(t, controlplane.Options{})
	config := plane.Config()
	client, err := dynamic.NewForConfigAndClient(config, controlplane.HTTPClientForTest(t, config))
	must(t, err)
	prepare(t, client)
	w := &restoredWriter{client: client, rng: rand.New(rand.NewPCG(seed(t), 0)), there: map[cache.ObjectName]kind{}}
	w.make(t, beforeBackup)
	witnesses := []*witness{
		newWitness(t, plane, configMaps, informer.Settings{}),
		newWitness(t, plane, configMaps, informer.Settings{Lists: informer.PagesOnly, PageSize: 50}),
		newWitness(t, plane, configMaps, informer.Settings{Lists: informer.PagesOnly}),
		newWitness(t, plane, widgets, informer.Settings{}),
	}
	all := func(patience time.Duration, when string) {
		begin := time.Now()
		for _, witness := range witnesses {
			await.Within(t, patience-time.Since(begin), witness.name+" to agree with the server "+when, func() error { return witness.agree(t) })
			t.Logf("%s agrees with the server %s after %v", witness.name, when, time.Since(begin).Round(time.Second))
		}
	}
	all(await.Patience, "at first")

	backup, err := plane.Backup(t.Context())
	must(t, err)
	all(await.Patience, "after the backup")
	w.play(t, afterBackup)
	all(await.Patience, "before the disaster")
	for _, witness := range witnesses {
		witness.remember()
	}
	must(t, plane.Restore(t.Context(), backup))
	all(healing, "after the disaster")
	for _, witness := range witnesses {
		witness.judge(t)
	}
	w.forget(t)
	w.play(t, 100)
	all(await.Patience, "after more writes")
}

// seed decides what is written. It is SEED in the environment, or a new one each time.
func seed(t *testing.T) uint64 {
	t.Helper()
	n := rand.Uint64N(1_000_000)
	if text := os.Getenv("SEED"); text != "" {
		var err error
		if n, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("SEED: %v", err)
		}
	}
	t.Logf("SEED=%d", n)
	return n
}

// prepare makes the namespace and the kind that the writer needs.
func prepare(t *testing.T, client dynamic.Interface) {
	t.Helper()
	create := func(resource schema.GroupVersionResource, object *unstructured.Unstructured) {
		if _, err := client.Resource(resource).Create(t.Context(), object, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	create(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"},
		widgetDefinition.DeepCopy())
	create(corev1.SchemeGroupVersion.WithResource("namespaces"), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "e2e-0"},
	}})
	await.Until(t, "the server to serve Widgets", func() bool {
		_, err := client.Resource(widgets.resource).List(t.Context(), metav1.ListOptions{})
		return !apierrors.IsNotFound(err)
	})
}

// restoredWriter makes one write after the other.
type restoredWriter struct {
	client dynamic.Interface
	rng    *rand.Rand
	made   int
	there  map[cache.ObjectName]kind
}

// make creates a number of objects.
func (w *restoredWriter) make(t *testing.T, objects int) {
	t.Helper()
	for range objects {
		w.made++
		k := []kind{configMaps, widgets}[w.made%2]
		key := cache.NewObjectName("e2e-0", fmt.Sprint("restored-", w.made))
		w.there[key] = k
		w.write(t, step{k, delta.Added, key, int64(w.made)})
	}
}

// play makes a number of writes: half are updates, and the others create and delete.
func (w *restoredWriter) play(t *testing.T, writes int) {
	t.Helper()
	for range writes {
		if w.rng.IntN(4) == 0 || len(w.there) == 0 {
			w.make(t, 1)
			continue
		}
		keys := slices.SortedFunc(maps.Keys(w.there), func(a, b cache.ObjectName) int { return cmp.Compare(a.Name, b.Name) })
		key := keys[w.rng.IntN(len(keys))]
		s := step{w.there[key], delta.Updated, key, w.rng.Int64()}
		if w.rng.IntN(3) == 0 {
			s.op = delta.Deleted
			delete(w.there, key)
		}
		w.write(t, s)
	}
}

// forget forgets the objects that the restored server does not have.
func (w *restoredWriter) forget(t *testing.T) {
	t.Helper()
	clear(w.there)
	for _, k := range []kind{configMaps, widgets} {
		list, err := w.client.Resource(k.resource).Namespace("e2e-0").List(t.Context(), metav1.ListOptions{LabelSelector: ownerLabel})
		must(t, err)
		for i := range list.Items {
			w.there[cache.MetaObjectToName(&list.Items[i])] = k
		}
	}
}

// witness is an informer, with a record of its deltas.
type witness struct {
	name     string
	informer shared.Informer
	server   *cache.ListWatch

	mu    sync.Mutex // guards everything below
	world map[delta.Key]seen
	was   map[delta.Key]seen // the world before the versions ended
	told  map[delta.Key][]told
	lies  []error
}

// seen has the parts of an object's state that are compared.
type seen struct {
	uid     types.UID
	version string
}

// told is what a delta said about one object.
type told struct {
	op     delta.Op
	listed bool // from a list, and not from an event
}

func newWitness(t *testing.T, plane *controlplane.Plane, k kind, settings informer.Settings) *witness {
	t.Helper()
	config := plane.Config()
	lw, client, err := k.informs(config, controlplane.HTTPClientForTest(t, config))
	must(t, err)
	w := &witness{name: fmt.Sprint(k.name, " ", settings.Lists, " ", settings.PageSize), server: lw, world: map[delta.Key]seen{}}
	w.informer, err = shared.New(shared.Config{
		Kind: k.name, Example: k.sample, Reflector: settings,
		Scopes: []shared.Scope{{ListerWatcher: cache.ToListWatcherWithWatchListSemantics(lw, client)}},
	})
	must(t, err)
	if _, err := w.informer.Core().Subscribe(w.hear, informer.SubscribeOptions{}); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { w.informer.RunWithContext(ctx) })
	t.Cleanup(func() {
		stop()
		running.Wait()
	})
	return w
}

// hear applies a delta to the world that the witness knows.
func (w *witness) hear(d *delta.Delta[any]) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before, known := w.world[d.Key]
	if old := stateOf(d.Old); known != (d.Old != nil) && d.Op != delta.Deleted || known && d.Old != nil && old != before {
		w.lies = append(w.lies, fmt.Errorf("%s of %s comes from %v, and the last state that was told is %v", d.Op, d.Key, old, before))
	}
	switch d.Op {
	case delta.Deleted:
		delete(w.world, d.Key)
	case delta.Sync:
		return
	default:
		w.world[d.Key] = stateOf(d.New)
	}
	if w.told != nil {
		w.told[d.Key] = append(w.told[d.Key], told{d.Op, d.Relisted || d.Missed})
	}
}

func stateOf(obj any) seen {
	if obj == nil {
		return seen{}
	}
	return seen{object(obj).GetUID(), object(obj).GetResourceVersion()}
}

// remember begins to record the deltas.
func (w *witness) remember() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.was, w.told = map[delta.Key]seen{}, map[delta.Key][]told{}
	for key, state := range w.world {
		w.was[key] = state
	}
}

// agree compares the server with the store, and with the deltas.
func (w *witness) agree(t *testing.T) error {
	t.Helper()
	if !w.informer.HasSynced() {
		return errors.New("not synced")
	}
	server, store := onServer(t, w.server), inStore(w.informer.GetStore())
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(server) != len(store) || len(server) != len(w.world) {
		return fmt.Errorf("the server has %d objects, the store %d, and the deltas %d; the informer says: %s", len(server), len(store), len(w.world), w.informer.Core().Status().Reflector.Why)
	}
	for key, obj := range server {
		want, has := stateOf(obj), store[key]
		if has == nil || stateOf(has) != want {
			return fmt.Errorf("%s is %v on the server, and differs in the store", key, want)
		}
		if told := w.world[delta.Key{Namespace: key.Namespace, Name: key.Name}]; told != want {
			return fmt.Errorf("%s is %v on the server, and was told to be %v", key, want, told)
		}
	}
	return nil
}

// judge checks the objects that went back. For each of them one delta must have said so, and
// it must say that it is from a list. No other object may have such a delta.
func (w *witness) judge(t *testing.T) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, lie := range w.lies {
		t.Errorf("%s: %v", w.name, lie)
	}
	counts := map[delta.Op]int{}
	for key, was := range w.was {
		if w.world[key] == was {
			continue
		}
		op := delta.Updated
		if _, is := w.world[key]; !is {
			op = delta.Deleted
		}
		counts[op]++
		if got := w.told[key]; len(got) != 1 || got[0] != (told{op, true}) {
			t.Errorf("%s: %s went back from %v to %v, and its deltas are %v", w.name, key, was, w.world[key], got)
		}
		delete(w.told, key)
	}
	for key := range w.world {
		if _, was := w.was[key]; was {
			continue
		}
		counts[delta.Added]++
		if got := w.told[key]; len(got) != 1 || got[0] != (told{delta.Added, true}) {
			t.Errorf("%s: %s exists again, and its deltas are %v", w.name, key, got)
		}
		delete(w.told, key)
	}
	for key, got := range w.told {
		t.Errorf("%s: %s did not go back, and its deltas are %v", w.name, key, got)
	}
	t.Logf("%s: the objects that went back had these deltas: %v", w.name, counts)
	for _, op := range []delta.Op{delta.Added, delta.Updated, delta.Deleted} {
		if counts[op] < 20 {
			t.Errorf("%s: only %d were %s when the server went back", w.name, counts[op], op)
		}
	}
}

package cache

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/engine/store"
	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// readSeeds is how many worlds are usually played.
const readSeeds = 60

// readWorld is a reader, controller-runtime's cache, and the model: a map.
type readWorld struct {
	rep    representation
	ours   *reader
	theirs *incumbent
	held   map[delta.Key]client.Object
	rng    *rand.Rand
	writes int
}

var readFields = byField{
	"finalizer": func(obj client.Object) []string { return obj.GetFinalizers() },
	"node":      func(obj client.Object) []string { return []string{obj.GetAnnotations()["node"]} },
}

func newReadWorld(t *testing.T, seed uint64) *readWorld {
	w := &readWorld{
		rep: representations[seed%uint64(len(representations))], held: map[delta.Key]client.Object{},
		rng: rand.New(rand.NewPCG(seed, 0)),
	}
	w.ours = newTestReader(w.rep.empty(), readFields)
	var opts crcache.Options
	if w.rng.IntN(4) == 0 {
		disable := true
		opts.DefaultUnsafeDisableDeepCopy = &disable
		w.ours.rules.deepCopy = func(string) bool { return false }
	}
	w.theirs = newIncumbent(t, w.rep.empty(), readFields, opts)
	return w
}

func pickOne[T any](rng *rand.Rand, of ...T) T { return of[rng.IntN(len(of))] }

func (w *readWorld) key() delta.Key {
	return delta.Key{Namespace: pickOne(w.rng, "a", "b", "a-b"), Name: fmt.Sprint("pod-", w.rng.IntN(12))}
}

// write puts or removes an object, on both sides and in the model.
func (w *readWorld) write(t *testing.T) {
	key := w.key()
	if w.rng.IntN(5) == 0 {
		if old, ok := w.held[key]; ok {
			delete(w.held, key)
			remove(w.ours, key)
			if err := w.theirs.indexer.Delete(old); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	w.writes++
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: key.Namespace, Name: key.Name, UID: types.UID(key.String()), ResourceVersion: strconv.Itoa(w.writes),
		Annotations: map[string]string{"node": fmt.Sprint("node-", w.rng.IntN(3))},
	}}
	for _, label := range []string{"app", "tier", "size"} {
		if w.rng.IntN(3) > 0 {
			metav1.SetMetaDataLabel(&pod.ObjectMeta, label, strconv.Itoa(w.rng.IntN(3)))
		}
	}
	for _, finalizer := range []string{"x", "y", "z"} {
		if w.rng.IntN(2) == 0 {
			pod.Finalizers = append(pod.Finalizers, finalizer)
		}
	}
	obj := w.rep.of(pod)
	w.held[key] = obj
	put(w.ours, obj)
	if err := w.theirs.indexer.Update(obj); err != nil {
		t.Fatal(err)
	}
}

var readSelectors = []string{
	"app=1", "app==2,tier!=0", "app in (0,2)", "app notin (1,2)", "tier", "!tier", "size>0", "size<2,app", "app=1,app=2", "nobody=has", "!nobody",
}

// options are random options of a list, and what an object must be to match.
type options struct {
	client.ListOptions
	matches []func(client.Object) bool
}

func (w *readWorld) options(t *testing.T) *options {
	o := new(options)
	if w.rng.IntN(2) == 0 {
		o.Namespace = pickOne(w.rng, "a", "b", "a-b", "none")
		o.matches = append(o.matches, func(obj client.Object) bool { return obj.GetNamespace() == o.Namespace })
	}
	if w.rng.IntN(2) == 0 {
		sel, err := labels.Parse(pickOne(w.rng, readSelectors...))
		if err != nil {
			t.Fatal(err)
		}
		if o.LabelSelector = sel; w.rng.IntN(10) == 0 {
			o.LabelSelector = pickOne(w.rng, labels.Nothing(), labels.Everything())
		}
		o.matches = append(o.matches, func(obj client.Object) bool { return o.LabelSelector.Matches(labels.Set(obj.GetLabels())) })
	}
	if w.rng.IntN(2) == 0 {
		var all []fields.Selector
		for range 1 + w.rng.IntN(3) {
			field, value := "node", fmt.Sprint("node-", w.rng.IntN(4))
			if w.rng.IntN(2) == 0 {
				field, value = "finalizer", pickOne(w.rng, "x", "y", "z", "none")
			}
			all = append(all, fields.OneTermEqualSelector(field, value))
			o.matches = append(o.matches, func(obj client.Object) bool { return slices.Contains(readFields[field](obj), value) })
		}
		o.FieldSelector = fields.AndSelectors(all...)
	}
	switch w.rng.IntN(4) {
	case 0:
		o.UnsafeDisableDeepCopy = new(bool)
	case 1:
		o.UnsafeDisableDeepCopy = new(bool)
		*o.UnsafeDisableDeepCopy = true
	}
	if w.rng.IntN(4) == 0 {
		o.Raw = &metav1.ListOptions{Limit: 1, LabelSelector: "ignored=yes"}
		o.DisableReadYourWritesConsistency = true
	}
	return o
}

// want are the keys of what matches, in order.
func (w *readWorld) want(o *options) []delta.Key {
	var keys []delta.Key
	for key, obj := range w.held {
		if !slices.ContainsFunc(o.matches, func(match func(client.Object) bool) bool { return !match(obj) }) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, delta.Key.Compare)
	return keys
}

func TestReaderAgainstModelAndControllerRuntime(t *testing.T) {
	seeds.Each(t, readSeeds, func(t *testing.T, seed uint64) {
		w := newReadWorld(t, seed)
		for range 40 {
			for range w.rng.IntN(8) {
				w.write(t)
			}
			w.compareGet(t)
			w.compareList(t)
			w.compareLimited(t)
		}
	})
}

func (w *readWorld) compareGet(t *testing.T) {
	t.Helper()
	key := client.ObjectKey(w.key())
	var opts []client.GetOption
	if w.rng.IntN(2) == 0 {
		opts = append(opts, client.UnsafeDisableDeepCopyOption(w.rng.IntN(2) == 0))
	}
	ours, theirs := w.rep.empty(), w.rep.empty()
	errOurs, errTheirs := w.ours.Get(t.Context(), key, ours, opts...), w.theirs.Get(t.Context(), key, theirs, opts...)
	if fmt.Sprintf("%T %v", errOurs, errOurs) != fmt.Sprintf("%T %v", errTheirs, errTheirs) {
		t.Fatalf("get %s: we say %v, controller-runtime %v", key, errOurs, errTheirs)
	}
	if !reflect.DeepEqual(ours, theirs) {
		t.Fatalf("get %s: we read\n%+v\ncontroller-runtime\n%+v", key, ours, theirs)
	}
	if _, held := w.held[delta.Key(key)]; held == apierrors.IsNotFound(errOurs) {
		t.Fatalf("get %s: %v, and the model has it: %t", key, errOurs, held)
	}
}

// contents are the items of a list by their key.
func contents(t *testing.T, list client.ObjectList) (items map[delta.Key]client.Object, keys []delta.Key) {
	t.Helper()
	items = map[delta.Key]client.Object{}
	for _, item := range extract(t, list) {
		items[keyOf(item)] = item.(client.Object)
		keys = append(keys, keyOf(item))
	}
	return items, keys
}

func (w *readWorld) compareList(t *testing.T) {
	t.Helper()
	o := w.options(t)
	ours, theirs := w.rep.newList(), w.rep.newList()
	if err := errors.Join(w.ours.List(t.Context(), ours, &o.ListOptions), w.theirs.List(t.Context(), theirs, &o.ListOptions)); err != nil {
		t.Fatal(err)
	}
	got, keys := contents(t, ours)
	want, _ := contents(t, theirs)
	if len(keys) != len(got) || !reflect.DeepEqual(got, want) {
		t.Fatalf("list %+v: we list %v, controller-runtime %v", o.ListOptions, keys, slices.Collect(maps.Keys(want)))
	}
	slices.SortFunc(keys, delta.Key.Compare)
	if want := w.want(o); !slices.Equal(keys, want) {
		t.Fatalf("list %+v: got %v, the model has %v", o.ListOptions, keys, want)
	}
	// But for the items, the two lists are the same, and neither's Items are nil.
	if empty(ours) || !reflect.DeepEqual(withoutItems(ours), withoutItems(theirs)) {
		t.Fatalf("list %+v: got %+v, controller-runtime has %+v", o.ListOptions, ours, theirs)
	}
}

func empty(list client.ObjectList) bool {
	return reflect.ValueOf(list).Elem().FieldByName("Items").IsNil()
}

func withoutItems(list client.ObjectList) any {
	bare := list.DeepCopyObject()
	reflect.ValueOf(bare).Elem().FieldByName("Items").SetZero()
	return bare
}

// compareLimited lists with a limit: so many of those that the same list has without it.
func (w *readWorld) compareLimited(t *testing.T) {
	t.Helper()
	o := w.options(t)
	o.Limit = int64(1 + w.rng.IntN(10))
	ours, theirs := w.rep.newList(), w.rep.newList()
	if err := errors.Join(w.ours.List(t.Context(), ours, &o.ListOptions), w.theirs.List(t.Context(), theirs, &o.ListOptions)); err != nil {
		t.Fatal(err)
	}
	items, keys := contents(t, ours)
	_, others := contents(t, theirs)
	if len(keys) != len(others) || len(items) != len(keys) {
		t.Fatalf("list %+v: we list %v, controller-runtime %v", o.ListOptions, keys, others)
	}
	want := w.want(o)
	for key, item := range items {
		if !slices.Contains(want, key) || !reflect.DeepEqual(withKind(item), withKind(w.held[key])) {
			t.Fatalf("list %+v: %s is not what the store has", o.ListOptions, key)
		}
	}
	if !reflect.DeepEqual(withoutItems(ours), withoutItems(theirs)) {
		t.Fatalf("list %+v: got %+v, controller-runtime has %+v", o.ListOptions, ours, theirs)
	}
}

// withKind is a copy with the kind set, as only private copies have it.
func withKind(obj client.Object) runtime.Object {
	with := obj.DeepCopyObject()
	with.GetObjectKind().SetGroupVersionKind(podKind)
	return with
}

func TestReadersFailAlike(t *testing.T) {
	for _, rep := range representations {
		t.Run(rep.name, func(t *testing.T) {
			ours := newTestReader(rep.empty(), readFields)
			theirs := newIncumbent(t, rep.empty(), readFields, crcache.Options{})
			held := rep.of(podOf(0, "a", "one"))
			put(ours, held)
			if err := theirs.indexer.Add(held); err != nil {
				t.Fatal(err)
			}
			for name, read := range map[string]func(client.Reader) error{
				"not found": func(r client.Reader) error {
					return r.Get(t.Context(), client.ObjectKey{Namespace: "a", Name: "two"}, rep.empty())
				},
				"inexact field": func(r client.Reader) error {
					return r.List(t.Context(), rep.newList(), client.MatchingFieldsSelector{Selector: mustFields(t, "node=a,node!=b")})
				},
				"nil field": func(r client.Reader) error {
					return r.List(t.Context(), rep.newList(), client.MatchingFieldsSelector{})
				},
				"no index": func(r client.Reader) error {
					return r.List(t.Context(), rep.newList(), client.MatchingFields{"missing": "x"})
				},
				"sentinel": func(r client.Reader) error {
					return r.List(t.Context(), rep.newList(), client.Continue(noPages))
				},
			} {
				errOurs, errTheirs := read(ours), read(theirs)
				if errOurs == nil || errTheirs == nil || errOurs.Error() != errTheirs.Error() {
					t.Errorf("%s: we say %v, controller-runtime %v", name, errOurs, errTheirs)
				}
			}
			if err := ours.List(t.Context(), rep.newList(), client.MatchingFields{"missing": "x"}); !errors.Is(err, store.ErrNoIndex) {
				t.Errorf("list by an index that is not there: %v", err)
			}
		})
	}
}

package hotloop

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/delta-runtime/delta-runtime/internal/ledger"
	"github.com/delta-runtime/delta-runtime/internal/ledger/writes"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

const me = "my-controller"

var (
	siteKind   = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Site"}
	secretKind = schema.GroupVersionKind{Version: "v1", Kind: "Secret"}
)

// world is a server, a watch, a ledger, and the Watch that is tested.
type world struct {
	*testing.T

	rng     *rand.Rand
	now     time.Time
	version int
	objects map[delta.Key]*unstructured.Unstructured
	writes  *writes.Writes
	ledger  *delta.Ledger[string]
	watch   *Watch[string]
	calls   int
	pending int // deltas since the last call
	found   []Episode[string]
	fails   func() bool // whether a call fails
	strip   bool        // objects lose their managed fields on the way, after the last write was read off them
}

func newWorld(t *testing.T, rng *rand.Rand) *world {
	w := &world{
		T: t, rng: rng, now: time.Date(2030, 1, 1, 0, 0, 0, rng.IntN(1e9), time.UTC), version: 1000,
		objects: map[delta.Key]*unstructured.Unstructured{}, writes: writes.New(10_000), watch: New[string](false),
		fails: func() bool { return false },
	}
	w.ledger = delta.NewLedger[string](delta.LedgerOptions{Writes: w.writes})
	return w
}

// set is what a write sets. The paths have a slash for each step, and an element of a list is
// written as name=app. A nil value removes.
type set map[string]any

// create makes an object.
func (w *world) create(kind schema.GroupVersionKind, key delta.Key, by string, content set) {
	obj := &unstructured.Unstructured{Object: map[string]any{}}
	obj.SetGroupVersionKind(kind)
	obj.SetNamespace(key.Namespace)
	obj.SetName(key.Name)
	obj.SetUID(types.UID(fmt.Sprint("uid ", w.version)))
	w.put(nil, obj, by, content)
}

// write is a write by a manager. The managed fields are those that a server would keep.
func (w *world) write(key delta.Key, by string, content set) {
	before := w.objects[key]
	changed := set{}
	for path, v := range content {
		if fmt.Sprint(valueOf(before.Object, path)) != fmt.Sprint(v) {
			changed[path] = v
		}
	}
	if len(changed) > 0 {
		w.put(before, before.DeepCopy(), by, changed)
	}
}

func (w *world) put(before, obj *unstructured.Unstructured, by string, content set) {
	w.version++
	obj.SetResourceVersion(strconv.Itoa(w.version))
	owned := maps.Clone(content)
	for path, v := range content {
		for at, c := range path {
			if c == '/' && v != nil && valueOf(obj.Object, path[:at]) == nil {
				owned[path[:at]+"/."] = true // who makes a map or an element owns that it is there
			}
		}
	}
	for path, v := range content {
		assign(obj.Object, strings.Split(path, "/"), v)
	}
	for path := range content {
		if strings.HasPrefix(path, "spec/") {
			obj.SetGeneration(obj.GetGeneration() + 1)
			break
		}
	}
	obj.SetManagedFields(managed(obj.GetManagedFields(), by, w.now, owned))
	key := delta.Key{Namespace: obj.GetNamespace(), Name: obj.GetName()}
	w.objects[key] = obj
	change := delta.Change{Cause: delta.Primary, Kind: obj.GroupVersionKind(), Key: key, Op: delta.Added, New: obj, First: w.now, Last: w.now, Deltas: 1}
	from := ""
	if before != nil {
		change.Op, change.Old, from = delta.Updated, before, before.GetResourceVersion()
	}
	if by == me {
		w.writes.Wrote(obj.GetUID(), from, obj.GetResourceVersion())
	}
	w.record(change, by)
}

// remove deletes an object.
func (w *world) remove(key delta.Key) {
	w.version++
	obj := w.objects[key].DeepCopy()
	obj.SetResourceVersion(strconv.Itoa(w.version))
	delete(w.objects, key)
	w.record(delta.Change{Cause: delta.Primary, Kind: obj.GroupVersionKind(), Key: key, Op: delta.Deleted, Old: obj, New: obj, First: w.now, Last: w.now, Deltas: 1}, "")
}

func (w *world) record(change delta.Change, by string) {
	if w.strip {
		change.Origin = &delta.Origin{Manager: by, Operation: "Update", Time: w.now}
		change.Old, change.New = stripped(change.Old), stripped(change.New)
	}
	w.pending++
	w.ledger.Clerk().Record("request", change)
	w.ledger.Clerk().Landed("request")
}

// resync shows an object as it is.
func (w *world) resync(key delta.Key) {
	obj := w.objects[key]
	w.record(delta.Change{Cause: delta.Resync, Kind: obj.GroupVersionKind(), Key: key, Op: delta.Sync, Old: obj, New: obj, First: w.now, Last: w.now}, "")
}

// call has the reconciler be called.
func (w *world) call() {
	w.calls++
	w.pending = 0
	changes := w.ledger.Clerk().Take("request")
	e, verdict := w.watch.Called("request", changes, w.now)
	if verdict == Found {
		w.found = append(w.found, e)
	}
	how := ledger.Succeeded
	if w.fails() {
		how = ledger.Failed
	}
	w.ledger.Clerk().Settle("request", how)
}

func stripped(obj delta.Object) delta.Object {
	u, ok := obj.(*unstructured.Unstructured)
	if !ok {
		return nil
	}
	u = u.DeepCopy()
	u.SetManagedFields(nil)
	return u
}

func (w *world) pass(d time.Duration) { w.now = w.now.Add(d) }

// around is a duration, give or take a half.
func (w *world) around(d time.Duration) time.Duration {
	return d/2 + time.Duration(w.rng.Int64N(int64(d)+1))
}

func (w *world) pick(of ...string) string { return of[w.rng.IntN(len(of))] }

func valueOf(content map[string]any, path string) any {
	var here any = content
	for step := range strings.SplitSeq(path, "/") {
		switch at := here.(type) {
		case map[string]any:
			here = at[step]
		case []any:
			here = nil
			if i := element(at, step); i >= 0 {
				here = at[i]
			}
		default:
			return nil
		}
	}
	return here
}

// element finds name=app in a list.
func element(list []any, step string) int {
	key, name, _ := strings.Cut(step, "=")
	return slices.IndexFunc(list, func(v any) bool { return v.(map[string]any)[key] == name })
}

func assign(in map[string]any, steps []string, v any) {
	if len(steps) == 1 {
		if in[steps[0]] = v; v == nil {
			delete(in, steps[0])
		}
		return
	}
	key, name, isElement := strings.Cut(steps[1], "=")
	if !isElement {
		below, _ := in[steps[0]].(map[string]any)
		if below == nil {
			below = map[string]any{}
			in[steps[0]] = below
		}
		assign(below, steps[1:], v)
		return
	}
	list, _ := in[steps[0]].([]any)
	i := element(list, steps[1])
	if i < 0 {
		i = len(list)
		list = append(list, map[string]any{key: name})
		in[steps[0]] = list
	}
	assign(list[i].(map[string]any), steps[2:], v)
}

// managed returns the entries after a write: the writer owns what it set, and nobody else does.
func managed(before []metav1.ManagedFieldsEntry, by string, now time.Time, content set) (after []metav1.ManagedFieldsEntry) {
	written, owned := fieldpath.NewSet(), map[string]*fieldpath.Set{by: fieldpath.NewSet()}
	second := metav1.NewTime(now.Truncate(time.Second))
	times := map[string]*metav1.Time{}
	for path, v := range content {
		written.Insert(pathOf(path))
		if v != nil {
			owned[by].Insert(pathOf(path))
			times[by] = &second
		}
	}
	for _, entry := range before {
		had := fieldpath.NewSet()
		if err := had.FromJSON(entry.FieldsV1.GetRawReader()); err != nil {
			panic(err)
		}
		owned[entry.Manager] = had.Difference(written).Union(cmp.Or(owned[entry.Manager], fieldpath.NewSet()))
		times[entry.Manager] = cmp.Or(times[entry.Manager], entry.Time)
	}
	for _, manager := range sortedKeys(owned) {
		if !owned[manager].Empty() {
			after = append(after, metav1.ManagedFieldsEntry{
				Manager: manager, Operation: "Update", APIVersion: "example.com/v1", FieldsType: "FieldsV1",
				Time: times[manager], FieldsV1: fieldsOf(owned[manager]),
			})
		}
	}
	return after
}

func pathOf(text string) fieldpath.Path {
	var steps []any
	for step := range strings.SplitSeq(strings.TrimSuffix(text, "/."), "/") {
		if key, name, ok := strings.Cut(step, "="); ok {
			steps = append(steps, fieldpath.KeyByFields(key, name))
		} else {
			steps = append(steps, step)
		}
	}
	return fieldpath.MakePathOrDie(steps...)
}

func fieldsOf(owned *fieldpath.Set) *metav1.FieldsV1 {
	text, err := owned.ToJSON()
	if err != nil {
		panic(err)
	}
	return metav1.NewFieldsV1(string(text))
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

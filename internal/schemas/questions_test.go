//go:build !race

// One goroutine plays all of this, and the race detector has nothing to find.

package schemas_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	smd "sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/delta-runtime/delta-runtime/internal/path"
	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/samples"
	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/diff"
)

// maker makes random objects of a type, and asks random questions.
type maker struct {
	samples.Dice
	in *smd.Schema
}

// object is an object that fits the type of a kind.
func (m *maker) object(kind schema.GroupVersionKind, of typed.ParseableType) *unstructured.Unstructured {
	m.in = of.Schema
	content, ok := m.value(of.TypeRef, 0).(map[string]any)
	if !ok {
		content = map[string]any{}
	}
	metadata := map[string]any{"name": "a", "uid": "u"}
	if m.Often() {
		metadata["labels"] = map[string]any{"a": m.text(), "b.c/d": m.text()}
	}
	if m.Often() {
		metadata["finalizers"] = []any{"x/" + m.text()}
	}
	content["metadata"] = metadata
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(kind)
	return u
}

func (m *maker) text() string { return m.OneOf("a", "b", "c d", "1", "true").(string) }

// value is a value of a type; nil is none.
func (m *maker) value(of smd.TypeRef, depth int) any {
	atom, ok := m.in.Resolve(of)
	anything := atom.Scalar != nil && atom.Map != nil
	switch {
	case !ok, depth > 14, anything && depth > 5:
		return nil
	case anything:
		return m.OneOf("a", int64(1), map[string]any{"x": "y"}, []any{"z", map[string]any{"x": int64(1)}}, true)
	case atom.Scalar != nil:
		return map[smd.Scalar]any{smd.String: m.text(), smd.Numeric: int64(m.IntN(3)), smd.Boolean: m.Often(), smd.Untyped: m.OneOf("1", int64(2))}[*atom.Scalar]
	case atom.List != nil:
		return m.list(atom.List, depth)
	}
	values := map[string]any{}
	for _, f := range atom.Map.Fields {
		if depth < 4 || m.Often() {
			if v := m.value(f.Type, depth+1); v != nil {
				values[f.Name] = v
			}
		}
	}
	e := atom.Map.ElementType
	switch {
	case len(atom.Map.Fields) > 0:
	case e.NamedType == nil && spelt(e.Inlined):
		return nil
	default:
		for range m.IntN(3) {
			if v := m.value(e, depth+1); v != nil {
				values[m.OneOf("k", "b.c/d", "0").(string)] = v
			}
		}
	}
	return values
}

// spelt reports whether paths are spelt in two ways below elements of a type that has no name. client-go
// has no name for what may be anything, so that the names below are keys of data. Documents have one.
func spelt(a smd.Atom) bool { return a.Scalar != nil && a.Map != nil }

func (m *maker) list(of *smd.List, depth int) any {
	values := []any{}
	for range m.IntN(3) {
		v := m.value(of.ElementType, depth+1)
		if element, ok := v.(map[string]any); ok && len(of.Keys) > 0 && m.Often() {
			element[of.Keys[0]] = m.OneOf(element[of.Keys[0]], m.value(m.fieldOf(of, of.Keys[0]), depth+2))
		}
		if v != nil {
			values = append(values, v)
		}
	}
	return values
}

func (m *maker) fieldOf(list *smd.List, name string) smd.TypeRef {
	atom, _ := m.in.Resolve(list.ElementType)
	if atom.Map == nil {
		return smd.TypeRef{}
	}
	f, _ := atom.Map.FindField(name)
	return f.Type
}

// changed is a copy of an object with other values of its own at some places.
func (m *maker) changed(of, other *unstructured.Unstructured) *unstructured.Unstructured {
	u := of.DeepCopy()
	m.change(u.Object, other.Object)
	u.SetName(of.GetName())
	u.SetUID(of.GetUID())
	u.SetGroupVersionKind(of.GroupVersionKind())
	return u
}

func (m *maker) change(at, from map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(at)) {
		a, aIsMap := at[name].(map[string]any)
		b, bIsMap := from[name].(map[string]any)
		list, isList := at[name].([]any)
		switch {
		case aIsMap && bIsMap:
			m.change(a, b)
		case isList && len(list) > 1 && m.Often():
			m.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		case m.Seldom():
			delete(at, name)
		case m.Seldom() && from[name] != nil:
			at[name] = runtime.DeepCopyJSONValue(from[name])
		}
	}
}

// paths are paths into an object: each that it has, and as many that look like them.
func (m *maker) paths(obj map[string]any) (all []string) {
	var walk func(at string, v any)
	walk = func(at string, v any) {
		if len(all) > 80 || strings.HasSuffix(at, "fieldsV1") { // see spelt
			return
		}
		if at != "" {
			all = append(all, at, m.misspelt(at))
		}
		switch v := v.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				if !strings.ContainsAny(name, "./ ") {
					walk(strings.TrimPrefix(at+"."+name, "."), v[name])
				} else {
					walk(fmt.Sprintf("%s[%q]", at, name), v[name])
				}
			}
		case []any:
			for i, element := range v {
				step := fmt.Sprintf("[%d]", i)
				if e, ok := element.(map[string]any); ok && m.Often() {
					step = "[*]"
					if name, ok := e["name"].(string); ok {
						step = fmt.Sprintf("[name=%q]", name)
					}
				}
				walk(at+step, element)
			}
		}
	}
	walk("", obj)
	return all
}

func (m *maker) misspelt(text string) string {
	i := m.IntN(len(text))
	return m.OneOf(text+"x", text+".x", text+"[*]", text+"[0]", text+"[=1]", text+`[="a"]`, text+"[x=1]", text+"[name=a].name",
		text[:i]+text[i+1:], text[:i]+"e"+text[i:], strings.Replace(text, "[*]", "", 1)).(string)
}

// witnesses are two schemas that are asked the same.
type witnesses struct{ before, now diff.Schemas }

// paths asks which paths can exist, and counts the answers.
func (w witnesses) paths(t *testing.T, obj delta.Object, paths []string) (answers int) {
	t.Helper()
	meta := &metav1.PartialObjectMetadata{}
	meta.SetGroupVersionKind(obj.GetObjectKind().GroupVersionKind())
	for _, text := range paths {
		for _, example := range []delta.Object{obj, meta} {
			before, now := path.Check(example, w.before, text), path.Check(example, w.now, text)
			if fmt.Sprint(before) != fmt.Sprint(now) {
				t.Errorf("%s, %s: it was %v, and is %v", obj.GetObjectKind().GroupVersionKind(), text, before, now)
			}
			answers++
		}
	}
	return answers
}

// changes asks what differs between two objects, and counts the edits.
func (w witnesses) changes(t *testing.T, a, b delta.Object, paths []string) (edits int) {
	t.Helper()
	before, now := diff.New(a, b, w.before).Full(), diff.New(a, b, w.now).Full()
	if before.String() != now.String() || fmt.Sprint(before.Err()) != fmt.Sprint(now.Err()) {
		t.Errorf("%T %s: the difference was\n%s (%v), and is\n%s (%v)", a, a.GetObjectKind().GroupVersionKind(), before, before.Err(), now, now.Err())
	}
	for _, text := range paths {
		if before.Touches(text) != now.Touches(text) {
			t.Errorf("%T %s: touches %s: it was %t", a, a.GetObjectKind().GroupVersionKind(), text, before.Touches(text))
		}
	}
	for range now.Edits() {
		edits++
	}
	return edits
}

// structured is an object as a Go type, nil if client-go has none.
func structured(t *testing.T, u *unstructured.Unstructured) delta.Object {
	t.Helper()
	obj, err := scheme.Scheme.New(u.GroupVersionKind())
	if err != nil || runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, obj) != nil {
		return nil
	}
	found, ok := obj.(delta.Object)
	if !ok {
		return nil
	}
	return found
}

// TestAnswersAreThoseOfBefore asks about random objects of all kinds, and about all objects that
// a server has.
func TestAnswersAreThoseOfBefore(t *testing.T) {
	s := realServer(t)
	api := defineGarden(t, s)
	create(t, api)
	before := s.asBefore(t)
	w := witnesses{before, schemasOf(t, s.config, s.client)}
	seeds.RunHeavy(t, 1, func(t *testing.T, rng *rand.Rand) {
		m := &maker{Dice: samples.Dice{Rand: rng}}
		var answers, edits, objects int
		for _, kind := range s.allKinds(t) {
			known, err := before.TypeOf(kind)
			if err != nil || strings.HasSuffix(kind.Kind, "List") {
				continue
			}
			mine := append(served(t, api, kind), m.object(kind, known), m.object(kind, known))
			objects += len(mine) - 2
			for _, obj := range mine {
				next := m.changed(obj, mine[m.IntN(len(mine))])
				paths := m.paths(obj.Object)
				answers += w.paths(t, obj, paths)
				edits += w.changes(t, obj, next, paths[:len(paths)/4])
				if a, b := structured(t, obj), structured(t, next); a != nil && b != nil {
					edits += w.changes(t, a, b, nil)
				}
			}
		}
		t.Logf("%d answers about paths and %d changes are as before; %d objects are from the server", answers, edits, objects)
		if answers < 15000 || edits < 400 || objects < 50 {
			t.Error("those are few")
		}
	})
}

// allKinds are the kinds of all documents, in order.
func (s *apiServer) allKinds(t *testing.T) (all []schema.GroupVersionKind) {
	t.Helper()
	for of := range s.documents {
		all = append(all, s.kinds(t, of)...)
	}
	slices.SortFunc(all, func(a, b schema.GroupVersionKind) int { return strings.Compare(a.String(), b.String()) })
	return all
}

// create makes objects with what random ones lack: all that a server adds to them.
func create(t *testing.T, api client.Client) {
	t.Helper()
	text, err := os.ReadFile("testdata/objects.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range strings.Split(string(text), "---\n") {
		obj := readObject(t, one)
		obj.SetNamespace("default")
		await.Success(t, "the server to serve "+obj.GetKind(), func() error { return client.IgnoreAlreadyExists(api.Create(t.Context(), obj.DeepCopy())) })
	}
}

// served are the objects of a kind that a server has, at most a few.
func served(t *testing.T, api client.Client, kind schema.GroupVersionKind) (few []*unstructured.Unstructured) {
	t.Helper()
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
	if err := api.List(t.Context(), list); err != nil {
		return nil // such as a review
	}
	for i := range min(len(list.Items), 5) {
		u := list.Items[i].DeepCopy()
		u.SetGroupVersionKind(kind)
		few = append(few, u)
	}
	return few
}

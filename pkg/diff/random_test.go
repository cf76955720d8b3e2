package diff

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	unstructuredv1 "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	"github.com/delta-runtime/delta-runtime/internal/testing/samples"
	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
)

// diffSeeds is how many pairs of each kind are usually compared.
const diffSeeds = 60

// contestant is a kind in one of its forms, with or without a schema.
type contestant struct {
	name    string
	kind    schema.GroupVersionKind
	made    *shape        // the shape to make objects of
	shape   *shape        // the shape to compare them with
	form    func() Object // an empty one
	schemas Schemas
}

func contestants(t *testing.T) []contestant {
	t.Helper()
	anything := func() Object { return &unstructuredv1.Unstructured{} }
	onlyMeta := func() Object { return &metav1.PartialObjectMetadata{} }
	deployment, core := appsv1.SchemeGroupVersion.WithKind("Deployment"), corev1.SchemeGroupVersion
	metaShape := structOf(map[string]*shape{"metadata": metadata()}, "metadata")
	all := []contestant{
		{"Deployment", deployment, deploymentShape(), nil, func() Object { return &appsv1.Deployment{} }, samples.Builtin},
		{"Deployment unstructured", deployment, deploymentShape(), nil, anything, samples.Builtin},
		{"Deployment metadata", deployment, metaShape, nil, onlyMeta, samples.Builtin},
		{"Service", core.WithKind("Service"), serviceShape(), nil, func() Object { return &corev1.Service{} }, samples.Builtin},
		{"ConfigMap", core.WithKind("ConfigMap"), configMapShape(), nil, func() Object { return &corev1.ConfigMap{} }, samples.Builtin},
		{"custom", schema.GroupVersionKind{Group: "a.b", Version: "v1", Kind: "Custom"}, customShape(), nil, anything, samples.Custom},
	}
	for i := range all {
		c := all[i]
		all[i].shape = c.made
		c.name, c.shape, c.schemas = c.name+" deduced", unknown, nil
		all = append(all, c)
	}
	return all
}

// object makes an object from a JSON tree.
func (c *contestant) object(t *testing.T, content map[string]any) Object {
	t.Helper()
	content = maps.Clone(content)
	content["apiVersion"], content["kind"] = c.kind.GroupVersion().String(), c.kind.Kind
	obj := c.form()
	if u, ok := obj.(*unstructuredv1.Unstructured); ok {
		u.Object = integers(content).(map[string]any)
		return u
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(integers(content).(map[string]any), obj); err != nil {
		t.Fatal(err)
	}
	return obj
}

// integers converts whole numbers to the type that they have in unstructured objects.
func integers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := map[string]any{}
		for key, below := range v {
			m[key] = integers(below)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = integers(v[i])
		}
		return list
	case float64:
		if v == float64(int32(v)) {
			return int64(v)
		}
	}
	return v
}

// pair makes two states of an object.
func (c *contestant) pair(t *testing.T, seed uint64) (before, after Object) {
	t.Helper()
	d := &dice{samples.NewDice(seed)}
	first := d.make(c.made).(map[string]any)
	return c.object(t, first), c.object(t, d.change(c.made, first).(map[string]any))
}

// TestDiffAgainstModel compares random pairs of objects.
func TestDiffAgainstModel(t *testing.T) {
	for _, c := range contestants(t) {
		t.Run(c.name, func(t *testing.T) {
			edits := 0
			seeds.Each(t, diffSeeds, func(t *testing.T, seed uint64) {
				before, after := c.pair(t, seed)
				edits += c.check(t, before, after)
				c.check(t, nil, after)
				c.check(t, before, nil)
			})
			if pairs := seeds.Count(t, diffSeeds); pairs >= diffSeeds && edits < int(pairs) {
				t.Errorf("%d edits in all: the pairs are too much alike", edits)
			}
		})
	}
}

// check compares with the model, makes the new object by the edits, and returns how many edits there were.
func (c *contestant) check(t *testing.T, before, after Object) int {
	t.Helper()
	old, now := samples.JSON(before), samples.JSON(after)
	d := New(before, after, c.schemas)
	want, got := modelDiff(c.shape, treeOrNil(before), treeOrNil(after)), map[string]modelEdit{}
	for e := range d.Edits() {
		got[e.Path] = modelEdit{whatOf(&e), jsonOr(e.Before, e.Added), jsonOr(e.After, e.Removed)}
		if _, err := path.Parse(e.Path); err != nil || !d.Touches(e.Path) {
			t.Errorf("a path that can't be parsed, or does not touch itself: %v", err)
		}
	}
	if d.Err() != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("error %v\nbefore %s\nafter  %s\n(-want +got) %s", d.Err(), samples.JSON(before), samples.JSON(after), cmp.Diff(want, got))
	}
	if after != nil {
		c.checkEdits(t, d)
	}
	if samples.JSON(before) != old || samples.JSON(after) != now {
		t.Errorf("the objects were changed:\n%s\n%s\nthey were\n%s\n%s", samples.JSON(before), samples.JSON(after), old, now)
	}
	return len(d.result().edits)
}

func whatOf(e *Edit) string {
	switch {
	case e.Added:
		return "Added"
	case e.Removed:
		return "Removed"
	default:
		return "Modified"
	}
}

// checkEdits has a diff's edits make the new object of the old one, as JSON trees. There has to be a new one.
func (c *contestant) checkEdits(t *testing.T, d *Diff) {
	t.Helper()
	made := treeOrNil(d.before)
	for e := range d.Edits() {
		at, err := path.Parse(e.Path)
		if err != nil {
			t.Fatal(err)
		}
		made, _ = c.shape.edited(made, at.Steps, &e).(map[string]any)
	}
	if rest := modelDiff(c.shape, made, samples.Tree(d.after)); len(rest) > 0 {
		t.Errorf("after %s still differs %v", d, rest)
	}
}

// edited returns a value in which an edit was made where the steps lead. It may write to the value.
func (s *shape) edited(v any, steps []path.Step, e *Edit) any {
	if len(steps) == 0 {
		return samples.Tree(map[string]any{"v": e.After})["v"]
	}
	remove := len(steps) == 1 && e.Removed
	if list, ok := v.([]any); ok {
		at := slices.IndexFunc(list, func(v any) bool { return s.key(v) == steps[0].Text() })
		switch {
		case at >= 0 && remove:
			return slices.Delete(list, at, at+1)
		case at < 0:
			return append(list, s.below.edited(nil, steps[1:], e))
		}
		list[at] = s.below.edited(list[at], steps[1:], e)
		return list
	}
	m, _ := v.(map[string]any)
	if m == nil {
		m = map[string]any{}
	}
	name := steps[0].Name
	if remove {
		delete(m, name)
	} else {
		m[name] = s.under(name).edited(m[name], steps[1:], e)
	}
	return m
}

// treeOrNil is an object's JSON tree, nil if there is no object.
func treeOrNil(obj Object) map[string]any {
	if obj == nil {
		return nil
	}
	return samples.Tree(obj)
}

func jsonOr(v any, nothing bool) string {
	if nothing {
		return ""
	}
	return samples.JSON(samples.Tree(map[string]any{"v": v})["v"])
}

// FuzzDiff compares any two JSON objects as the model does.
func FuzzDiff(f *testing.F) {
	for _, seed := range [][2]string{
		{`{}`, `{}`},
		{`{"spec":{"a":1}}`, `{"spec":{"a":2,"b":[1]}}`},
		{`{"metadata":{"labels":{"a.b/c":"d"}}}`, `{"metadata":{"labels":{"a":"d"}}}`},
		{`{"metadata":null}`, `{"metadata":{"name":"x","managedFields":[]}}`},
		{`{"metadata":3}`, `{"metadata":[]}`},
		{`{"a":{"b":1}}`, `{"a":null}`},
		{`{"a":{"b":1}}`, `{"a":"b"}`},
		{`{"a":{"b":{}}}`, `{"a":{}}`},
		{`{"a":[]}`, `{"a":{}}`},
		{`{"a":1}`, `{"a":1.0}`},
		{`{"":{"":""}}`, `{"":{"[":"]"}}`},
		{`{"a":"1"}`, `{"a":1}`},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, one, two string) {
		var before, after map[string]any
		if json.Unmarshal([]byte(one), &before) != nil || json.Unmarshal([]byte(two), &after) != nil || before == nil || after == nil {
			return
		}
		c := contestant{shape: unknown, kind: schema.GroupVersionKind{Version: "v1", Kind: "A"}, form: func() Object { return &unstructuredv1.Unstructured{} }}
		c.check(t, c.object(t, before), c.object(t, after))
	})
}

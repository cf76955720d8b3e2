package diff

import (
	"maps"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	unstructuredv1 "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/internal/path"
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
		{"Pod", core.WithKind("Pod"), podShape(), nil, func() Object { return &corev1.Pod{} }, samples.Builtin},
		{"Service", core.WithKind("Service"), serviceShape(), nil, func() Object { return &corev1.Service{} }, samples.Builtin},
		{"ConfigMap", core.WithKind("ConfigMap"), configMapShape(), nil, func() Object { return &corev1.ConfigMap{} }, samples.Builtin},
		{"custom", schema.GroupVersionKind{Group: "a.b", Version: "v1", Kind: "Custom"}, customShape(), nil, anything, samples.Custom()},
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

// TestDiffAgainstModel compares random pairs of objects, and applies the differences.
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

// check compares with the model, applies, and returns how many edits there were.
func (c *contestant) check(t *testing.T, before, after Object) int {
	t.Helper()
	d := New(before, after, c.schemas)
	for _, d := range []*Diff{d, d.Full()} {
		want := modelDiff(c.shape, treeOrNil(before), treeOrNil(after), d.extent == everything)
		got := map[string]modelEdit{}
		for e := range d.Edits() {
			got[e.Path] = modelEdit{whatOf(&e), jsonOr(e.Before, e.Added), jsonOr(e.After, e.Removed)}
			if _, err := path.Parse(e.Path); err != nil || !d.Touches(e.Path) {
				t.Errorf("a path that can't be parsed, or does not touch itself: %v", err)
			}
		}
		if d.Err() != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("error %v\nbefore %s\nafter  %s\n(-want +got) %s", d.Err(), samples.JSON(before), samples.JSON(after), cmp.Diff(want, got))
		}
	}
	c.checkApply(t, before, after)
	return len(d.result().edits)
}

func whatOf(e *Edit) string {
	inner := e.edit()
	return inner.what()
}

func (c *contestant) checkApply(t *testing.T, before, after Object) {
	t.Helper()
	old := samples.JSON(before)
	d := New(before, after, c.schemas)
	applied, err := d.Full().Apply(before)
	if err != nil {
		t.Fatalf("apply %s to %s: %v", d, old, err)
	}
	if after == nil {
		if applied != nil {
			t.Errorf("the object was deleted, and Apply returns %s", samples.JSON(applied))
		}
		return
	}
	if got, want := samples.JSON(c.shape.ordered(samples.Tree(applied))), samples.JSON(c.shape.ordered(samples.Tree(after))); got != want {
		t.Errorf("apply %s\nto   %s\ngot  %s\nwant %s", d.Full(), old, got, want)
	}
	if reflect.TypeOf(applied) != reflect.TypeOf(after) || samples.JSON(before) != old {
		t.Errorf("Apply made a %T from a %T, which is now %s", applied, before, samples.JSON(before))
	}
	if applied, err = d.Apply(before); err != nil {
		t.Fatalf("apply %s to %s: %v", d, old, err)
	}
	if rest := New(atOneVersion(applied), atOneVersion(after), c.schemas); !rest.Empty() {
		t.Errorf("something that Apply does not leave out differs after %s: %s", d, rest)
	}
}

// atOneVersion returns a copy of an object with a version that is always the same. Apply
// leaves the version out, and metadata at two versions may be of different states.
func atOneVersion(obj Object) Object {
	obj = obj.DeepCopyObject().(Object)
	obj.SetResourceVersion("1")
	return obj
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

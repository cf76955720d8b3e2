package diff

import (
	"context"
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	unstructuredv1 "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/testing/samples"
)

// In TestDiffIsForEverybody several goroutines call all methods of one Diff at the same time.
func TestDiffIsForEverybody(t *testing.T) {
	before, after := samples.Web(), samples.Web(func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Image = "web:2" })
	d := New(before, after, samples.Builtin)
	group := lifecycle.New(t.Context())
	for i := range 4 {
		group.Guest(fmt.Sprint("reader ", i), func(context.Context) {
			for range 20 {
				if d.Empty() || !d.Touches("spec") || d.Touches("status") || d.String() == "" {
					t.Errorf("wrong answer: %s, %v", d, d.Err())
				}
				for e := range d.Edits() {
					_ = e.String()
				}
			}
		})
	}
	group.Stop()
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
}

// byValue is an object that is not a pointer, and can't be compared by ==.
type byValue struct {
	*unstructuredv1.Unstructured
	names []string
}

// TestStrangeObjects has objects that no cache holds.
func TestStrangeObjects(t *testing.T) {
	strange := func(v any) Object {
		return &unstructuredv1.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "A", "spec": v}}
	}
	value := func(v any) Object {
		return byValue{Unstructured: strange(v).(*unstructuredv1.Unstructured), names: []string{"a"}}
	}
	type number struct{ A uint64 }
	for _, c := range []struct {
		before, after Object
		want          string
	}{
		{strange([]string{"a"}), strange([]string{"b"}), `spec: ["a"] → ["b"]`},
		{strange(map[string]string{"a": "b"}), strange(map[string]string{"a": "c"}), `spec.a: "b" → "c"`},
		{strange(number{1}), strange(number{2}), "spec.A: 1 → 2"},
		{strange(map[string]any{"n": 3}), strange(map[string]any{"n": int64(3), "f": float32(1)}), "+spec.f=1"},
		{value("a"), value("b"), `spec: "a" → "b"`},
	} {
		d := New(c.before, c.after, samples.Builtin)
		if got := d.String(); got != c.want || d.Err() != nil {
			t.Errorf("got %s (error %v), want %s", got, d.Err(), c.want)
		}
	}
	d := New(strange(make(chan int)), strange(make(chan int)), nil)
	if d.Err() == nil || d.Empty() || !d.Touches("metadata.name") {
		t.Errorf("got %s, want an error", d)
	}
}

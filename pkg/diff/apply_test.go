package diff

import (
	"errors"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	unstructuredv1 "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/delta-runtime/delta-runtime/internal/testing/samples"
)

func TestApplyToAnother(t *testing.T) {
	d := New(samples.Web(), samples.Web(func(d *appsv1.Deployment) {
		d.Spec.Template.Spec.Containers[0].Image = "web:2"
		d.Spec.Template.Spec.Containers = append(d.Spec.Template.Spec.Containers[:1], corev1.Container{Name: "new"})
		d.Labels["a"] = "b"
	}), samples.Builtin)
	other := samples.Web(func(d *appsv1.Deployment) {
		d.Name, d.Labels, d.Spec.Paused = "other", nil, true
		d.Spec.Template.Spec.Containers = []corev1.Container{{Name: "mine"}, {Name: "app", Args: []string{"x"}}}
	})
	obj, err := d.Apply(other)
	if err != nil {
		t.Fatal(err)
	}
	got := obj.(*appsv1.Deployment)
	if got.Name != "other" || got.Labels["a"] != "b" || !got.Spec.Paused || other.Labels != nil {
		t.Errorf("got %v %v %v", got.Name, got.Labels, got.Spec.Paused)
	}
	var names []string
	for _, c := range got.Spec.Template.Spec.Containers {
		names = append(names, c.Name+":"+c.Image)
	}
	if strings.Join(names, " ") != "mine: app:web:2 new:" {
		t.Errorf("the containers are %s", names)
	}

	other.Spec.Template.Spec.Containers = nil
	if _, err := d.Apply(other); !errors.Is(err, errMismatch) || !strings.Contains(err.Error(), "Deployment shop/web: spec: template: spec: containers: ") {
		t.Errorf("applied to what is not there: %v", err)
	}
	if _, err := d.Apply(nil); err == nil {
		t.Error("applied to nothing")
	}
}

// TestApplyWithoutProtocol has a port without protocol: the typed object leaves it out, and
// the schema fills it in.
func TestApplyWithoutProtocol(t *testing.T) {
	make := func(names ...string) *corev1.Service {
		s := &corev1.Service{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"}}
		for i, name := range names {
			s.Spec.Ports = append(s.Spec.Ports, corev1.ServicePort{Port: int32(80 + i), Name: name})
		}
		return s
	}
	d := New(make("a", "b"), make("a", "c", "d"), samples.Builtin)
	applied, err := d.Apply(make("a", "b"))
	if err != nil || !New(applied, make("a", "c", "d"), samples.Builtin).Empty() {
		t.Errorf("%s: %v", d, err)
	}
	if !d.Touches(`spec.ports[port=81,protocol="TCP"].name`) || d.Touches(`spec.ports[port=80]`) {
		t.Errorf("the key without its default is not found: %s", d)
	}
}

func TestAppliedSharesNothing(t *testing.T) {
	after := &unstructuredv1.Unstructured{Object: map[string]any{"kind": "A", "spec": map[string]any{"a": map[string]any{"b": "c"}, "n": 3}}}
	d := New(&unstructuredv1.Unstructured{Object: map[string]any{"kind": "A"}}, after, nil)
	applied, err := d.Apply(&unstructuredv1.Unstructured{Object: map[string]any{"kind": "A"}})
	if err != nil {
		t.Fatal(err)
	}
	applied.(*unstructuredv1.Unstructured).Object["spec"].(map[string]any)["a"].(map[string]any)["b"] = "d"
	if got := after.Object["spec"].(map[string]any)["a"].(map[string]any)["b"]; got != "c" {
		t.Errorf("the new object has changed with the applied one: %v", got)
	}
}

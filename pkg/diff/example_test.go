package diff_test

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/delta-runtime/delta-runtime/pkg/diff"
)

// deployment returns one with a number of replicas and containers with these images.
func deployment(replicas int32, images ...string) *appsv1.Deployment {
	d := &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec:       appsv1.DeploymentSpec{Replicas: &replicas},
	}
	for i, image := range images {
		c := corev1.Container{Name: fmt.Sprint("c", i), Image: image}
		d.Spec.Template.Spec.Containers = append(d.Spec.Template.Spec.Containers, c)
	}
	return d
}

func ExampleNew() {
	schemas := applyconfigurations.NewTypeConverter(scheme.Scheme)
	diff := diff.New(deployment(3, "web:1", "side:1"), deployment(5, "web:2"), schemas)
	fmt.Println(diff)
	for path := range diff.Paths() {
		fmt.Println(path)
	}
	// Output:
	// spec.replicas: 3 → 5, spec.template.spec.containers[name="c0"].image: "web:1" → "web:2", -spec.template.spec.containers[name="c1"]
	// spec.replicas
	// spec.template.spec.containers[name="c0"].image
	// spec.template.spec.containers[name="c1"]
}

func ExampleDiff_Touches() {
	schemas := applyconfigurations.NewTypeConverter(scheme.Scheme)
	diff := diff.New(deployment(3, "web:1"), deployment(3, "web:2"), schemas)
	fmt.Println(diff.Touches("spec.replicas"))
	fmt.Println(diff.Touches("spec.template"))
	fmt.Println(diff.Touches("spec.template.spec.containers[*].image"))
	fmt.Println(diff.Touches(`spec.template.spec.containers[name="other"]`, `metadata.labels["app.kubernetes.io/name"]`))
	// Output:
	// false
	// true
	// true
	// false
}

func ExampleDiff_Edits() {
	before := &corev1.ConfigMap{Data: map[string]string{"level": "info", "old": "x"}}
	after := &corev1.ConfigMap{Data: map[string]string{"level": "debug"}}
	for edit := range diff.New(before, after, nil).Edits() {
		fmt.Println(edit.Removed, edit.Path, edit.Before, edit.After)
	}
	// Output:
	// false data.level info debug
	// true data.old x <nil>
}

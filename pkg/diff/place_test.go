package diff_test

import (
	"strconv"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/delta-runtime/delta-runtime/pkg/diff"
)

// A path by place means the element that is there, although the order of elements that are known
// by their keys does not count.
func TestAnotherElementAtAPlaceIsTouched(t *testing.T) {
	schemas := applyconfigurations.NewTypeConverter(scheme.Scheme)
	a, b := corev1.Container{Name: "a", Image: "one"}, corev1.Container{Name: "b", Image: "two"}
	with := func(version int, all ...corev1.Container) diff.Object {
		d := at(version, 1)
		d.Kind, d.APIVersion = "Deployment", "apps/v1"
		d.Spec.Template.Spec.Containers = all
		return d
	}
	swapped := diff.New(with(1, a, b), with(2, b, a), schemas)
	same := diff.New(with(1, a, b), with(2, a, b), schemas)
	for path, want := range map[string]bool{
		"spec.template.spec.containers[0].image":          true,
		"spec.template.spec.containers[1]":                true,
		"spec.template.spec.containers[2]":                false,
		`spec.template.spec.containers[name="a"].image`:   false,
		`spec.template.spec.containers[*].image`:          false,
		`spec.template.spec.containers[*].ports[0]`:       true, // it may be any container's
		`spec.template.spec.volumes[0]`:                   false,
		`spec.template.spec.containers[name="a"].args[0]`: true,
	} {
		if got := swapped.Touches(path); got != want {
			t.Errorf("they changed places: Touches(%s) is %t, want %t", path, got, want)
		}
		if diff.New(with(1, a), with(1, a), schemas).Touches(path) && want == false {
			t.Errorf("nothing changed: %s is touched", path)
		}
	}
	for _, path := range []string{"spec.template.spec.containers[0].image", "spec.template.spec.containers[1]"} {
		if same.Touches(path) {
			t.Errorf("nothing changed places, and %s is touched", path)
		}
	}
}

// at is a Deployment at a version.
func at(version, replicas int) *appsv1.Deployment {
	d := deployment(int32(replicas)) //nolint:gosec // small
	d.UID, d.ResourceVersion = "uid", strconv.Itoa(version)
	return d
}

package objects

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/delta-runtime/delta-runtime/internal/path"
)

func TestIsNil(t *testing.T) {
	var pointer *corev1.Pod
	var object path.Object = pointer
	for name, tt := range map[string]struct {
		v    any
		want bool
	}{
		"nothing": {nil, true}, "a nil pointer": {pointer, true}, "a nil pointer in an interface": {object, true},
		"a nil function": {(func())(nil), true}, "an object": {&corev1.Pod{}, false}, "a number": {0, false},
	} {
		if got := IsNil(tt.v); got != tt.want {
			t.Errorf("%s is nil: %t", name, got)
		}
	}
}

func TestUntyped(t *testing.T) {
	type wrapped struct{ unstructured.Unstructured }
	for name, tt := range map[string]struct {
		obj  path.Object
		want bool
	}{
		"a Pod": {&corev1.Pod{}, false}, "metadata": {&metav1.PartialObjectMetadata{}, true},
		"a map": {&unstructured.Unstructured{}, true}, "somebody's map": {&wrapped{}, true},
	} {
		if got := Untyped(tt.obj); got != tt.want {
			t.Errorf("%s is untyped: %t", name, got)
		}
	}
}

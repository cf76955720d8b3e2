package cache

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func mustFields(t *testing.T, text string) fields.Selector {
	t.Helper()
	sel, err := fields.ParseSelector(text)
	if err != nil {
		t.Fatal(err)
	}
	return sel
}

func TestFieldIndexFilesForOneNamespaceAndForAll(t *testing.T) {
	index := fieldIndex(func(obj client.Object) []string { return obj.GetFinalizers() })
	for _, tt := range []struct {
		name string
		obj  any
		want []string
	}{
		{"namespaced", &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Finalizers: []string{"x", "y"}}}, []string{"__all_namespaces/x", "__all_namespaces/y", "a/x", "a/y"}},
		{"without a namespace", &corev1.Node{ObjectMeta: metav1.ObjectMeta{Finalizers: []string{"x"}}}, []string{"__all_namespaces/x"}},
		{"an empty value", &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Finalizers: []string{""}}}, []string{"__all_namespaces/", "a/"}},
		{"no value", &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a"}}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := index(tt.obj)
			slices.Sort(got)
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("filed under %q, %v; want %q", got, err, tt.want)
			}
		})
	}
	if _, err := index("text"); err == nil {
		t.Error("text was indexed")
	}
	if got := fieldIndexName("spec.nodeName"); got != "field:spec.nodeName" {
		t.Errorf("the index is called %q, want field:spec.nodeName", got)
	}
}

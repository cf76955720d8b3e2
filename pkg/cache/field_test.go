package cache

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

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

// TestAFieldMayDependOnOtherKinds reads another kind of the cache while an object is filed,
// before Start and while the cache runs. The first read of a kind makes its informer, too.
func TestAFieldMayDependOnOtherKinds(t *testing.T) {
	f := newFakeAPI(t)
	f.put(configMap("red", "a"))
	c := newCache(t, f, crcache.Options{}, Options{})
	index := func(field string, other client.ObjectList) {
		t.Helper()
		err := c.IndexField(t.Context(), configMaps, field, func(client.Object) []string {
			if err := c.List(t.Context(), other); err != nil {
				t.Errorf("list %T while an object is filed: %v", other, err)
			}
			c.Status()
			return []string{"x"}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	index("before", &corev1.SecretList{})
	start(t, c)
	index("after", &corev1.NamespaceList{})
	for _, field := range []string{"before", "after"} {
		var found corev1.ConfigMapList
		if err := c.List(t.Context(), &found, client.MatchingFields{field: "x"}); err != nil || len(found.Items) != 1 {
			t.Errorf("by the field %q there are %d objects (error %v), want 1", field, len(found.Items), err)
		}
	}
}

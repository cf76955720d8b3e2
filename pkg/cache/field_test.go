package cache

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestFieldIndexHasWordsThatPeopleKnow(t *testing.T) {
	if _, err := fieldIndex(func(client.Object) []string { return nil })("text"); err == nil {
		t.Error("text was indexed")
	}
	if got := fieldIndexValue("", "x"); got != "__all_namespaces/x" { // people look it up
		t.Errorf("for all namespaces it is filed under %q", got)
	}
}

// TestAFieldMayDependOnOtherKinds reads another kind of the cache while an object is filed,
// before Start and while the cache runs. The first read of a kind makes its informer, too.
func TestAFieldMayDependOnOtherKinds(t *testing.T) {
	f := newFakeAPI(t, configMap("red", "a"))
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
		must(t, err)
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

package cache

import (
	"fmt"
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	toolscache "k8s.io/client-go/tools/cache"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	waiting "github.com/delta-runtime/delta-runtime/internal/testing/await"
)

func TestWhoPutsNothing(t *testing.T) {
	theirs := crcache.TransformStripManagedFields()
	for name, tt := range map[string]struct {
		transform toolscache.TransformFunc
		want      bool
	}{
		"none":              {nil, true},
		"theirs":            {theirs, true},
		"theirs once more":  {crcache.TransformStripManagedFields(), true},
		"around theirs":     {func(obj any) (any, error) { return theirs(obj) }, false},
		"ours":              {func(obj any) (any, error) { return obj, nil }, false},
		"theirs by a field": {crcache.Options{DefaultTransform: theirs}.DefaultTransform, true},
	} {
		if got := putsNothing(tt.transform); got != tt.want {
			t.Errorf("%s: %t, want %t", name, got, tt.want)
		}
	}
}

// withManagers is configFor with managed fields.
func withManagers(name string) *corev1.ConfigMap {
	obj := configFor("o", name)
	for i := range 3 {
		obj.ManagedFields = append(obj.ManagedFields, metav1.ManagedFieldsEntry{
			Manager: fmt.Sprint("manager ", i), Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1",
			FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(`{"f:data":{"f:text":{}}}`),
		})
	}
	return obj
}

// TestStrippedObjectsShare has controller-runtime's own transform, which changes objects that share already.
func TestStrippedObjectsShare(t *testing.T) {
	for name, empty := range map[string]func() client.Object{
		"typed": func() client.Object { return &corev1.ConfigMap{} }, "unstructured": func() client.Object { return mapOf(configMapGVK) },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakeAPI(t, withManagers("first"), withManagers("second"))
			c := newCache(t, f, crcache.Options{DefaultTransform: crcache.TransformStripManagedFields()}, Options{})
			start(t, c)
			read := func(name string) client.Object { return kept(t, c, name, empty()) }
			first, second := read("first"), read("second")
			before := []client.Object{first.DeepCopyObject().(client.Object), second.DeepCopyObject().(client.Object)}
			labelled := withManagers("second")
			labelled.Labels["more"] = "yes"
			version := f.put(labelled)
			var next client.Object
			waiting.Until(t, "the update", func() bool { next = read("second"); return next.GetResourceVersion() == version })
			if !reflect.DeepEqual([]client.Object{first, second}, before) {
				t.Error("an update has changed what was cached before")
			}
			for _, obj := range []client.Object{first, second, next} {
				if len(obj.GetManagedFields()) > 0 {
					t.Errorf("%s has managed fields", obj.GetName())
				}
			}
			if !shares(first, second) || !shares(second, next) {
				t.Error("two objects, or two versions of one, share nothing")
			}
		})
	}
}

// shares reports whether two ConfigMaps have their data in common.
func shares(a, b client.Object) bool {
	if free, ok := a.(*unstructured.Unstructured); ok {
		return sameMap(free.Object["data"], b.(*unstructured.Unstructured).Object["data"])
	}
	return sameMap(a.(*corev1.ConfigMap).Data, b.(*corev1.ConfigMap).Data)
}

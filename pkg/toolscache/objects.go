package toolscache

import (
	"reflect"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// objectKey is the key of anything that client-go's key functions accept,
// without building its text where the object can be asked.
func objectKey(obj any) (delta.Key, error) {
	switch o := obj.(type) {
	case metav1.Object:
		return delta.Key{Namespace: o.GetNamespace(), Name: o.GetName()}, nil
	case cache.DeletedFinalStateUnknown:
		return delta.ParseKey(o.Key), nil
	case cache.ExplicitKey:
		return delta.ParseKey(string(o)), nil
	}
	accessor, err := meta.Accessor(obj)
	if err != nil {
		return delta.Key{}, cache.KeyError{Obj: obj, Err: err}
	}
	return delta.Key{Namespace: accessor.GetNamespace(), Name: accessor.GetName()}, nil
}

// objectTraits reads Kubernetes objects. What has no metadata has no version, no
// UID and no labels.
var objectTraits = delta.Traits[any]{
	Key:     objectKey,
	Version: func(obj any) string { return metadata(obj).GetResourceVersion() },
	UID:     func(obj any) string { return string(metadata(obj).GetUID()) },
	Labels:  func(obj any) map[string]string { return metadata(obj).GetLabels() },
	Detach:  detach,
}

// detach copies an object out of the array that a typed list is.
func detach(obj any) any {
	in := reflect.ValueOf(obj)
	if in.Kind() != reflect.Pointer || in.IsNil() {
		return obj
	}
	out := reflect.New(in.Type().Elem())
	out.Elem().Set(in.Elem())
	return out.Interface()
}

// metadata returns the object's metadata, or empty metadata where it has none.
func metadata(obj any) metav1.Object {
	if o, ok := obj.(metav1.Object); ok {
		return o
	}
	if accessor, err := meta.Accessor(obj); err == nil {
		return accessor
	}
	return noMetadata
}

var noMetadata = &metav1.ObjectMeta{}

package objects

import (
	"reflect"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/internal/api/dedup"
	"github.com/delta-runtime/delta-runtime/internal/engine/store"
	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Traits read Kubernetes objects. An object without metadata has no version, no UID and no
// labels.
var Traits = store.Traits[any]{
	Key:     Key,
	Version: func(obj any) string { return metadata(obj).GetResourceVersion() },
	UID:     func(obj any) string { return string(metadata(obj).GetUID()) },
	Labels:  func(obj any) map[string]string { return metadata(obj).GetLabels() },
	Detach:  detach,
	Equal:   dedup.EqualObjects,
}

// Key is the key of an object. It builds no text.
func Key(obj any) (delta.Key, error) {
	about, err := meta.Accessor(obj)
	if err != nil {
		return delta.Key{}, err
	}
	return delta.Key{Namespace: about.GetNamespace(), Name: about.GetName()}, nil
}

// detach copies an object out of the array that a typed list is.
func detach(obj any) any {
	in := reflect.ValueOf(obj)
	if in.Kind() != reflect.Pointer || in.IsNil() {
		return obj
	}
	return path.Shallow(obj)
}

// metadata returns the object's metadata, or empty metadata if it has none.
func metadata(obj any) metav1.Object {
	if about, err := meta.Accessor(obj); err == nil {
		return about
	}
	return noMetadata
}

var noMetadata = &metav1.ObjectMeta{}

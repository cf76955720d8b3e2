package fulltypes

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/openapi"
	"k8s.io/client-go/openapi/openapitest"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// Types are all types of a document.
type Types struct {
	// Lenient reads objects with fields that the document does not mention, Strict does not.
	Lenient, Strict managedfields.TypeConverter
}

// Read reads a document.
func Read(text []byte) (*Types, error) {
	// client-go reads types from a server. This one has nothing but the text.
	server := openapitest.FakeClient{PathsMap: map[string]openapi.GroupVersion{"one": openapitest.FakeGroupVersion{GVSpec: text}}}
	strict, err := openapi.NewTypeConverter(server, false)
	if err != nil {
		return nil, err
	}
	lenient, err := openapi.NewTypeConverter(server, true)
	if err != nil {
		return nil, err
	}
	return &Types{Lenient: lenient, Strict: strict}, nil
}

// ObjectToTyped reads an object.
func (t *Types) ObjectToTyped(obj runtime.Object, opts ...typed.ValidationOptions) (*typed.TypedValue, error) {
	return t.Lenient.ObjectToTyped(obj, opts...)
}

// TypeOf returns the type that a converter has for a kind.
func TypeOf(by managedfields.TypeConverter, kind schema.GroupVersionKind) (typed.ParseableType, error) {
	empty := &unstructured.Unstructured{}
	empty.SetGroupVersionKind(kind)
	read, err := by.ObjectToTyped(empty)
	if err != nil {
		return typed.ParseableType{}, err
	}
	return typed.ParseableType{Schema: read.Schema(), TypeRef: read.TypeRef()}, nil
}

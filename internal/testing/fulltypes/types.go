package fulltypes

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/openapi"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// document is a server that has nothing but this text, because that is what client-go
// reads types from.
type document []byte

var (
	_ openapi.Client       = document{}
	_ openapi.GroupVersion = document{}
)

// Paths has the one document.
func (d document) Paths() (map[string]openapi.GroupVersion, error) {
	return map[string]openapi.GroupVersion{d.ServerRelativeURL(): d}, nil
}

// Schema is the text, which is JSON.
func (d document) Schema(string) ([]byte, error) { return d, nil }

// ServerRelativeURL names the document.
func (d document) ServerRelativeURL() string { return "/openapi/v3/one" }

// Types are all types of a document.
type Types struct {
	// Lenient reads objects with fields that the document does not mention, Strict does not.
	Lenient, Strict managedfields.TypeConverter
}

// Read reads a document.
func Read(text []byte) (*Types, error) {
	strict, err := openapi.NewTypeConverter(document(text), false)
	if err != nil {
		return nil, err
	}
	lenient, err := openapi.NewTypeConverter(document(text), true)
	if err != nil {
		return nil, err
	}
	return &Types{Lenient: lenient, Strict: strict}, nil
}

// ObjectToTyped reads an object.
func (t *Types) ObjectToTyped(obj runtime.Object, opts ...typed.ValidationOptions) (*typed.TypedValue, error) {
	return t.Lenient.ObjectToTyped(obj, opts...)
}

// TypeOf returns the type of a kind, with no fields but those that the document mentions.
func (t *Types) TypeOf(kind schema.GroupVersionKind) (typed.ParseableType, error) {
	return TypeOf(t.Strict, kind)
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

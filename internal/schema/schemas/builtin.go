package schemas

import (
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// builtin reports whether client-go knows the types of a kind. Its own scheme is for everybody
// to add others to, as tests of operators do, and to make another one takes memory. So that is made
// for the kinds alone that are in the first one.
func builtin(kind schema.GroupVersionKind) bool {
	return scheme.Scheme.Recognizes(kind) && builtinKinds().Recognizes(kind)
}

// builtinKinds are the kinds that client-go knows.
var builtinKinds = sync.OnceValue(func() *runtime.Scheme {
	kinds := runtime.NewScheme()
	utilruntime.Must(scheme.AddToScheme(kinds))
	return kinds
})

// builtinSchemas are the same for every server, so a process needs them once, however
// many controllers it has. client-go keeps them for ever, and all at once.
var builtinSchemas = sync.OnceValue(func() managedfields.TypeConverter {
	return applyconfigurations.NewTypeConverter(builtinKinds())
})

// builtinType is the type of a kind that client-go knows.
func builtinType(kind schema.GroupVersionKind) (typed.ParseableType, error) {
	empty := &unstructured.Unstructured{}
	empty.SetGroupVersionKind(kind)
	read, err := builtinSchemas().ObjectToTyped(empty)
	if err != nil {
		return typed.ParseableType{}, fmt.Errorf("look for the type of a %s: %w", kind.Kind, err)
	}
	return typed.ParseableType{Schema: read.Schema(), TypeRef: read.TypeRef()}, nil
}

package schemas

import (
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
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

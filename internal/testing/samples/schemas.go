package samples

import (
	_ "embed" // for custom.yaml
	"errors"
	"fmt"
	"sync"

	unstructuredv1 "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// Builtin are the schemas of the kinds that Kubernetes has. They are read in when a test asks, so
// that tests which measure memory can do without.
var Builtin builtin

type builtin struct{}

var builtinTypes = sync.OnceValue(func() managedfields.TypeConverter { return applyconfigurations.NewTypeConverter(scheme.Scheme) })

// ObjectToTyped checks an object against the schema of its kind.
func (builtin) ObjectToTyped(obj runtime.Object, opts ...typed.ValidationOptions) (*typed.TypedValue, error) {
	return builtinTypes().ObjectToTyped(obj, opts...)
}

//go:embed custom.yaml
var customYAML []byte

// parsed is custom.yaml. Most tests do not need it, so it is parsed when a test asks for it.
var parsed = sync.OnceValue(func() *typed.Parser {
	parser, err := typed.NewParser(typed.YAMLObject(customYAML))
	if err != nil {
		panic(fmt.Sprintf("BUG: custom.yaml is not a schema: %v", err))
	}
	return parser
})

// Custom are the schemas of a kind that only tests have. They take every unstructured object for one of the kind in custom.yaml.
var Custom custom

type custom struct{}

// ObjectToTyped checks an unstructured object against the schema.
func (custom) ObjectToTyped(obj runtime.Object, opts ...typed.ValidationOptions) (*typed.TypedValue, error) {
	content := obj.(*unstructuredv1.Unstructured).Object
	return typed.AsTyped(value.NewValueInterface(content), &parsed().Schema, parsed().Type("custom").TypeRef, opts...)
}

// Refusing are schemas that know no kind.
type Refusing struct {
	Calls int // how often they were asked
}

// ObjectToTyped counts the call and returns an error.
func (r *Refusing) ObjectToTyped(runtime.Object, ...typed.ValidationOptions) (*typed.TypedValue, error) {
	r.Calls++
	return nil, errors.New("never heard of it")
}

package schemas

import (
	"fmt"
	"net/http"
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/delta-runtime/delta-runtime/pkg/diff"
)

// Kinds knows the types of all kinds that a server has, for [diff.New].
//
// What client-go knows comes from client-go: these kinds are read in when the first one
// is asked for, which takes some 200 ms of a processor once in a process and keeps a
// megabyte.
//
// Custom kinds are described by the server: one request for each group and version,
// when the first of its kinds is asked for. That diff and those at the same time wait
// for the answer, at most two seconds. An error is remembered for a minute, in which
// diffs do without a schema; so are objects that do not fit, after which the server is
// asked again. There is nothing to run and nothing to stop.
//
// Paths into custom kinds are checked by a description of their own, which is asked for
// again every ten minutes while somebody checks paths.
type Kinds struct {
	scheme *runtime.Scheme
	// lenient lets through fields that a description does not mention: what is wrong with
	// an object is for the server to say, and a description may be older than the object.
	// strict does not, so that it tells which fields there are.
	lenient, strict descriptions
}

var _ diff.Schemas = (*Kinds)(nil)

// New returns the types of a server's kinds. The scheme says which kind a Go type is,
// because typed objects do not say it.
func New(config *rest.Config, httpClient *http.Client, scheme *runtime.Scheme) (*Kinds, error) {
	server, err := discovery.NewDiscoveryClientForConfigAndClient(config, httpClient)
	if err != nil {
		return nil, fmt.Errorf("make a client for schemas: %w", err)
	}
	return &Kinds{
		scheme:  scheme,
		lenient: descriptions{server: server.RESTClient(), unknown: letThrough, known: map[schema.GroupVersion]*description{}},
		strict:  descriptions{server: server.RESTClient(), unknown: refused, known: map[schema.GroupVersion]*description{}},
	}, nil
}

// Server is what a manager knows of its server.
type Server interface {
	GetConfig() *rest.Config
	GetHTTPClient() *http.Client
	GetScheme() *runtime.Scheme
}

// Of returns the types of the kinds of a manager's server. They ask the server for nothing before
// somebody wants a difference. A manager for tests may have no server. Then there are none.
func Of(s Server) (diff.Schemas, error) {
	config, client := s.GetConfig(), s.GetHTTPClient()
	if config == nil || client == nil {
		return nil, nil //nolint:nilnil // differences are made without, too
	}
	kinds, err := New(config, client, s.GetScheme())
	if err != nil {
		return nil, err // not kinds: a nil *Kinds is not nil Schemas
	}
	return kinds, nil
}

// builtinSchemas are the same for every server, so a process needs them once, however
// many controllers it has.
var builtinSchemas = sync.OnceValue(func() managedfields.TypeConverter {
	return applyconfigurations.NewTypeConverter(builtinKinds())
})

// builtinKinds are the kinds that client-go knows. Its own scheme is for everybody to add
// others to, as tests of operators do.
var builtinKinds = sync.OnceValue(func() *runtime.Scheme {
	kinds := runtime.NewScheme()
	utilruntime.Must(scheme.AddToScheme(kinds))
	return kinds
})

// ObjectToTyped is [diff.Schemas].
func (s *Kinds) ObjectToTyped(obj runtime.Object, opts ...typed.ValidationOptions) (*typed.TypedValue, error) {
	kind, err := apiutil.GVKForObject(obj, s.scheme)
	if err != nil {
		return nil, fmt.Errorf("look for the schema of a %T: %w", obj, err)
	}
	obj = saying(kind, obj)
	if builtinKinds().Recognizes(kind) {
		return builtinSchemas().ObjectToTyped(obj, opts...)
	}
	d := s.lenient.describe(kind.GroupVersion())
	if d.err != nil {
		return nil, d.err
	}
	value, err := d.converter.ObjectToTyped(obj, opts...)
	if err != nil {
		s.lenient.forget(kind.GroupVersion(), d)
		return nil, fmt.Errorf("read a %s by its schema: %w", kind.Kind, err)
	}
	return value, nil
}

// TypeOf returns the type that objects of a kind have, with no fields but those that it
// is known to have. [path.Check] goes by it.
func (s *Kinds) TypeOf(kind schema.GroupVersionKind) (typed.ParseableType, error) {
	var converter managedfields.TypeConverter
	if builtinKinds().Recognizes(kind) {
		converter = builtinSchemas()
	} else {
		d := s.strict.describe(kind.GroupVersion())
		if d.err != nil {
			return typed.ParseableType{}, d.err
		}
		converter = d.converter
	}
	empty := &unstructured.Unstructured{}
	empty.SetGroupVersionKind(kind)
	read, err := converter.ObjectToTyped(empty)
	if err != nil {
		return typed.ParseableType{}, fmt.Errorf("look for the type of a %s: %w", kind.Kind, err)
	}
	return typed.ParseableType{Schema: read.Schema(), TypeRef: read.TypeRef()}, nil
}

// Describes returns an error while it is not known what fields a kind has: the server does
// not know the kind yet, or does not answer. It asks again after a minute at the earliest.
func (s *Kinds) Describes(kind schema.GroupVersionKind) error {
	_, err := s.TypeOf(kind)
	return err
}

// saying returns obj, or a copy of it that says its kind: by that schemas are found.
// The two share what is below.
func saying(kind schema.GroupVersionKind, obj runtime.Object) runtime.Object {
	if obj.GetObjectKind().GroupVersionKind() == kind {
		return obj
	}
	v := reflect.ValueOf(obj)
	clone := reflect.New(v.Type().Elem())
	clone.Elem().Set(v.Elem())
	said, ok := clone.Interface().(runtime.Object)
	if !ok {
		panic(fmt.Sprintf("BUG: a copy of a %T is a %T", obj, clone.Interface()))
	}
	if said.GetObjectKind() == obj.GetObjectKind() { // it only points to where its kind is
		said = obj.DeepCopyObject()
	}
	said.GetObjectKind().SetGroupVersionKind(kind)
	return said
}

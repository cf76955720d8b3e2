package schemas

import (
	"errors"
	"fmt"
	"net/http"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/delta-runtime/delta-runtime/internal/schema/openapi"
	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	"github.com/delta-runtime/delta-runtime/pkg/diff"
)

// Kinds knows the types of all kinds that a server has, for [diff.New]. There is nothing to run and nothing to stop.
//
// If the server does not describe a kind that client-go knows, client-go does. That takes some
// 200 ms of a processor and 20 MB once in a process, and keeps a megabyte.
type Kinds struct {
	scheme *runtime.Scheme
	server *descriptions
}

var _ diff.Schemas = (*Kinds)(nil)

// New returns the types of a server's kinds. The scheme says which kind a Go type is,
// because typed objects do not say it.
func New(config *rest.Config, httpClient *http.Client, scheme *runtime.Scheme) (*Kinds, error) {
	from, err := newServer(config, httpClient)
	if err != nil {
		return nil, err
	}
	return &Kinds{scheme, &descriptions{server: from, known: map[schema.GroupVersion]*group{}}}, nil
}

// Server is what a manager knows of its server.
type Server interface {
	GetConfig() *rest.Config
	GetHTTPClient() *http.Client
	GetScheme() *runtime.Scheme
}

// Of returns the types of the kinds of a manager's server. They ask the server for nothing before
// somebody wants a difference. A manager for tests may have no server. Then there are none. A manager's
// Runtime calls it once, so that all who ask there have the same.
func Of(s Server) (diff.Schemas, error) {
	config, client := s.GetConfig(), s.GetHTTPClient()
	if config == nil || client == nil {
		return nil, nil //nolint:nilnil // differences are made without, too
	}
	all, err := New(config, client, s.GetScheme())
	if err != nil {
		return nil, err // not all: a nil *Kinds is not nil Schemas
	}
	return all, nil
}

// ObjectToTyped is [diff.Schemas].
func (s *Kinds) ObjectToTyped(obj runtime.Object, opts ...typed.ValidationOptions) (*typed.TypedValue, error) {
	kind, err := apiutil.GVKForObject(obj, s.scheme)
	if err != nil {
		return nil, fmt.Errorf("look for the schema of a %T: %w", obj, err)
	}
	types, err := s.server.describe(kind, anyAge)
	if err != nil {
		if !builtin(kind) {
			return nil, err
		}
		said := obj.DeepCopyObject() // which says its kind: by that client-go finds its types
		said.GetObjectKind().SetGroupVersionKind(kind)
		value, otherwise := builtinSchemas().ObjectToTyped(said, opts...)
		if otherwise != nil {
			return nil, errors.Join(err, otherwise)
		}
		return value, nil
	}
	value, err := read(types, kind.Kind, obj, opts)
	if err != nil {
		s.server.doubt(kind, types)
		return nil, fmt.Errorf("read a %s by its schema: %w", kind.Kind, err)
	}
	return value, nil
}

func read(types *openapi.Types, kind string, obj runtime.Object, opts []typed.ValidationOptions) (*typed.TypedValue, error) {
	t, err := types.Of(kind)
	if err != nil {
		return nil, err
	}
	if u, ok := obj.(*unstructured.Unstructured); ok {
		return t.FromUnstructured(u.UnstructuredContent(), opts...)
	}
	return t.FromStructured(obj, opts...)
}

// TypeOf returns the type that objects of a kind have. Fields that it is not known to have are of
// type [path.Unmentioned]. It returns an error while the server does not know the kind yet, or does not answer, and
// asks again after a minute at the earliest.
func (s *Kinds) TypeOf(kind schema.GroupVersionKind) (typed.ParseableType, error) {
	types, err := s.server.describe(kind, newest)
	if err == nil {
		return types.Of(kind.Kind)
	}
	if !builtin(kind) {
		return typed.ParseableType{}, err
	}
	found, otherwise := path.TypeOf(builtinSchemas(), kind)
	if otherwise != nil {
		return typed.ParseableType{}, errors.Join(err, otherwise)
	}
	return found, nil
}

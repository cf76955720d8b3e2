package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/openapi"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

const (
	// schemaPatience is how long a diff waits for the server to describe a custom kind.
	// Somebody reconciles meanwhile.
	schemaPatience = 2 * time.Second
	// schemaRetry is how long an answer counts that was of no use.
	schemaRetry = time.Minute
	// schemaFresh is how long a description counts by which paths are checked. A custom
	// kind may come to have other fields, and no object tells.
	schemaFresh = 10 * time.Minute
	// maxSchema is how large a description may be, in bytes.
	maxSchema = 32 << 20
)

// Schemas are the types of all kinds that a server has, for [delta.NewDiff].
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
type Schemas struct {
	scheme *runtime.Scheme
	// lenient lets through fields that a description does not mention: what is wrong with
	// an object is for the server to say, and a description may be older than the object.
	// strict does not, so that it tells which fields there are.
	lenient, strict descriptions
}

var _ delta.Schemas = (*Schemas)(nil)

// descriptions are what the server says about its kinds.
type descriptions struct {
	server  rest.Interface
	unknown unknownFields

	mu sync.Mutex
	// known are as many as there are groups and versions that somebody has asked for.
	// Never held while the server is asked.
	known map[schema.GroupVersion]*description
}

// unknownFields says what becomes of fields that a description does not mention.
type unknownFields uint8

const (
	letThrough unknownFields = iota
	refused
)

// description is what the server says about the kinds of one group and version.
type description struct {
	ready chan struct{} // closed once the rest does not change any more

	converter managedfields.TypeConverter
	err       error
	at        time.Time
	until     time.Time // when the server is asked again; zero: not before it is forgotten
}

// NewSchemas returns the schemas of a server's kinds. The scheme says what kind a Go
// type is: typed objects do not say it themselves.
func NewSchemas(config *rest.Config, httpClient *http.Client, scheme *runtime.Scheme) (*Schemas, error) {
	server, err := discovery.NewDiscoveryClientForConfigAndClient(config, httpClient)
	if err != nil {
		return nil, fmt.Errorf("make a client for schemas: %w", err)
	}
	return &Schemas{
		scheme:  scheme,
		lenient: descriptions{server: server.RESTClient(), unknown: letThrough, known: map[schema.GroupVersion]*description{}},
		strict:  descriptions{server: server.RESTClient(), unknown: refused, known: map[schema.GroupVersion]*description{}},
	}, nil
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

// ObjectToTyped is [delta.Schemas].
func (s *Schemas) ObjectToTyped(obj runtime.Object, opts ...typed.ValidationOptions) (*typed.TypedValue, error) {
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
// is known to have. [delta.CheckPathBySchema] goes by it.
func (s *Schemas) TypeOf(kind schema.GroupVersionKind) (typed.ParseableType, error) {
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
func (s *Schemas) Describes(kind schema.GroupVersionKind) error {
	_, err := s.TypeOf(kind)
	return err
}

// saying returns obj, or a copy of it that says its kind: by that schemas are found.
// What is below the copy is shared.
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

// describe returns what the server says about a group and version, and asks it if
// nobody has, or if it is time to ask again.
func (s *descriptions) describe(gv schema.GroupVersion) *description {
	s.mu.Lock()
	before, known := s.known[gv]
	d := before
	if !known || before.expired() {
		d = &description{ready: make(chan struct{})}
		s.known[gv] = d
	}
	s.mu.Unlock()
	if d != before {
		s.load(gv, d, before)
	}
	<-d.ready // not for longer than whoever loads it waits for the server
	return d
}

// expired reports whether it is time to ask the server again.
func (d *description) expired() bool {
	select {
	case <-d.ready:
		return !d.until.IsZero() && !time.Now().Before(d.until)
	default:
		return false
	}
}

// forget has the server asked again, next time: its kinds may have changed. Not if it
// has just been asked, because then it is the object that is wrong.
func (s *descriptions) forget(gv schema.GroupVersion, d *description) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known[gv] == d && time.Since(d.at) >= schemaRetry {
		delete(s.known, gv)
	}
}

// load asks the server, and goes on with what it said before if it does not answer now.
func (s *descriptions) load(gv schema.GroupVersion, d, before *description) {
	d.err = errors.New("there was a panic") // unless something else follows
	defer func() {
		d.at = time.Now()
		switch {
		case d.err == nil && s.unknown == refused:
			d.until = d.at.Add(schemaFresh)
		case d.err != nil:
			d.until = d.at.Add(schemaRetry)
			d.err = fmt.Errorf("ask the server for the schemas of %s: %w", gv, d.err)
		}
		if d.err != nil && before != nil && before.err == nil {
			d.converter, d.err = before.converter, nil
		}
		close(d.ready)
	}()
	ctx, cancel := context.WithTimeout(context.Background(), schemaPatience)
	defer cancel()
	text, err := download(ctx, s.server, gv)
	if err != nil {
		d.err = err
		return
	}
	d.converter, d.err = openapi.NewTypeConverter(document{gv, text}, s.unknown == letThrough)
}

func download(ctx context.Context, server rest.Interface, gv schema.GroupVersion) (text []byte, err error) {
	body, err := server.Get().AbsPath("/openapi/v3/apis", gv.Group, gv.Version).SetHeader("Accept", "application/json").MaxRetries(0).Stream(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	text, err = io.ReadAll(io.LimitReader(body, maxSchema+1))
	if err == nil && len(text) > maxSchema {
		err = fmt.Errorf("the answer has more than %d bytes", maxSchema)
	}
	return text, err
}

// document is a server that has nothing but this text, because that is what client-go
// reads schemas from.
type document struct {
	gv   schema.GroupVersion
	text []byte
}

var (
	_ openapi.Client       = document{}
	_ openapi.GroupVersion = document{}
)

// Paths has the one document.
func (d document) Paths() (map[string]openapi.GroupVersion, error) {
	return map[string]openapi.GroupVersion{d.ServerRelativeURL(): d}, nil
}

// Schema is the text, which is JSON.
func (d document) Schema(string) ([]byte, error) { return d.text, nil }

// ServerRelativeURL names the document.
func (d document) ServerRelativeURL() string { return "/openapi/v3/apis/" + d.gv.String() }

package cache

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/api/wire"
	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/base/lock"
)

// api makes the resources of a server.
type api struct {
	config *rest.Config
	http   *http.Client
	mapper meta.RESTMapper
	codecs serializer.CodecFactory
}

// plainConfig is the configuration for clients that bring their own serializer.
func (a *api) plainConfig() *rest.Config {
	config := rest.CopyConfig(a.config)
	config.NegotiatedSerializer = nil
	return config
}

// binding connects a kind to its resource as soon as the server has it.
type binding struct {
	api     *api
	id      kindID
	bound   atomic.Pointer[bound]
	late    func(*bound) // called when the resource is found by a list or watch
	awaited atomic.Bool  // the resource was not there when the kind was made
	met     sync.Once    // late was called; nobody lists before
	widens  atomic.Bool  // one scope of the whole kind is to replace the others; set by late

	listable atomic.Bool   // discovery has said so
	listless chan struct{} // closed when it is known that the server can't list the kind

	mu      lock.Mutex[lock.Binding] // guards everything below
	finding *finding                 // nil while nobody looks for the resource
	noList  error                    // why listless is closed; nil while it is not
}

// bound is a kind whose resource is known.
type bound struct {
	*source
	scope  meta.RESTScopeName
	called schema.GroupVersionResource
}

// finding is looking for a resource, on behalf of all who want it meanwhile.
type finding struct {
	task  *lifecycle.Group
	done  chan struct{} // closed when what follows is set
	found *bound
	err   error
}

// bind finds the resource, if that has not been done.
func (b *binding) bind() (*bound, error) {
	if found := b.bound.Load(); found != nil {
		return found, nil
	}
	mapping, err := b.api.mapper.RESTMapping(b.id.gvk.GroupKind(), b.id.gvk.Version)
	if err != nil {
		return nil, err
	}
	found, err := b.bindTo(mapping.Resource, mapping.Scope.Name())
	if err != nil {
		return nil, err
	}
	b.bound.CompareAndSwap(nil, found)
	return b.bound.Load(), nil
}

// bindTo returns the kind as a resource.
func (b *binding) bindTo(called schema.GroupVersionResource, scope meta.RESTScopeName) (*bound, error) {
	found, err := b.api.source(b.id, called.Resource)
	return &bound{found, scope, called}, err
}

// find is bind for somebody who leaves when ctx ends, which a mapper can't be told.
func (b *binding) find(ctx context.Context) (*bound, error) {
	if found := b.bound.Load(); found != nil {
		return found, nil
	}
	f := b.look(ctx)
	select {
	case <-f.done:
		_ = f.task.Wait() // panics if the mapper has
		return f.found, f.err
	case <-ctx.Done():
		return nil, fmt.Errorf("ask the API server what %s is called there: %w", b.id, ctx.Err())
	}
}

// look has the resource looked for, unless somebody does already: however many give up
// on a server that does not answer, one task is left.
func (b *binding) look(ctx context.Context) *finding {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.finding != nil {
		return b.finding
	}
	f := &finding{task: lifecycle.New(context.WithoutCancel(ctx)), done: make(chan struct{})}
	b.finding = f
	f.task.Go("ask what "+b.id.String()+" is called", func(context.Context) error {
		defer close(f.done)
		defer b.looked()
		f.found, f.err = b.bind()
		return nil
	})
	return f
}

func (b *binding) looked() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.finding = nil
}

// request returns the resource, and the namespace in the path of a request for it. A scope that is to be replaced gets
// none: what it listed would be told once more by the other.
func (b *binding) request(ctx context.Context, namespace string, s settings) (*bound, string, error) {
	r, err := b.find(ctx)
	if err != nil {
		return nil, "", err
	}
	if b.awaited.Load() { // who has found it may have done so for somebody who had left
		b.met.Do(func() { b.late(r) })
	}
	switch {
	case r.scope == meta.RESTScopeNameRoot && (namespace != "" || b.widens.Load() && !s.whole):
		return nil, "", fmt.Errorf("%s has no namespaces, which was not known while its CRD was missing: it is going to be listed as a whole", b.id)
	case r.scope == meta.RESTScopeNameRoot:
		return r, "", nil
	case namespace == "":
		return r, s.oneNamespace(), nil
	default:
		return r, namespace, nil
	}
}

// source is one kind of the API in one representation, as bytes.
type source struct {
	client     rest.Interface
	name       string // of the resource
	accept     string // header; empty is the client's own
	negotiator runtime.ClientNegotiator
}

// acceptMetadata is the header with which a server is asked for metadata alone.
const acceptMetadata = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata%[1]s;g=meta.k8s.io;v=v1," +
	"application/json;as=PartialObjectMetadata%[1]s;g=meta.k8s.io;v=v1,application/json"

// source returns the kind as the resource of a name.
func (a *api) source(id kindID, name string) (*source, error) {
	s := &source{name: name}
	var serializers runtime.NegotiatedSerializer
	var err error
	http := wire.Tap(a.http)
	switch id.form {
	case unstructuredForm:
		serializers = dynamic.ConfigFor(a.config).NegotiatedSerializer
		s.client, err = apiutil.RESTClientForGVK(id.gvk, true, true, a.plainConfig(), a.codecs, http)
	case metadataForm:
		config := metadata.ConfigFor(a.plainConfig())
		serializers = config.NegotiatedSerializer
		version := id.gvk.GroupVersion()
		config.GroupVersion, config.APIPath = &version, "/apis"
		if version.Group == "" {
			config.APIPath = "/api"
		}
		s.accept = acceptMetadata
		s.client, err = rest.RESTClientForConfigAndClient(config, http)
	default:
		serializers = serializer.WithoutConversionCodecFactory{CodecFactory: a.codecs}
		s.client, err = apiutil.RESTClientForGVK(id.gvk, false, false, a.config, a.codecs, http)
	}
	if err != nil {
		return nil, fmt.Errorf("make a REST client: %w", err)
	}
	s.negotiator = runtime.NewClientNegotiator(serializers, id.gvk.GroupVersion())
	return s, nil
}

// request returns a request of the verb that opts ask for.
func (s *source) request(namespace string, opts metav1.ListOptions) *rest.Request {
	request := s.client.Get().Resource(s.name).NamespaceIfScoped(namespace, namespace != "")
	if s.accept != "" {
		list := "List"
		if opts.Watch {
			list = ""
		}
		request.SetHeader("Accept", fmt.Sprintf(s.accept, list))
	}
	return request.SpecificallyVersionedParams(&opts, scheme.ParameterCodec, schema.GroupVersion{Version: "v1"})
}

// byteReader lists and watches a kind in one namespace, or in all where that is empty, and decodes what comes.
type byteReader struct {
	of        *kind
	namespace string
	settings  settings
}

var _ listwatch.Lister[any] = (*byteReader)(nil)

// client returns what the next request is sent with, and narrows its options.
func (r *byteReader) client(ctx context.Context, narrowed *metav1.ListOptions) (*wire.Client, error) {
	k := r.of
	r.settings.narrow(narrowed)
	found, in, err := k.binding.request(ctx, r.namespace, r.settings)
	if err != nil {
		return nil, err
	}
	c := wire.Client{
		Kind: wire.Kind{
			GVK:        k.id.gvk,
			Example:    k.example,
			Namespaced: found.scope == meta.RESTScopeNameNamespace,
		},
		Request: func(_ context.Context, opts metav1.ListOptions) (*rest.Request, error) {
			return found.request(in, opts), nil
		},
		Negotiator: found.negotiator,
	}
	if putsNothing(k.hooks.Transform.Or(r.settings.Transform)) {
		c.Known = k.core.Store().Get
		if k.kin != nil {
			c.Kin = k.kin
		}
	}
	return wire.New(c), nil
}

// List is for who can't take the objects one by one.
func (r *byteReader) List(ctx context.Context, opts metav1.ListOptions) (listwatch.Page[any], error) {
	var items []any
	var broken []error
	page, err := r.Each(ctx, opts, func(item listwatch.Item[any]) {
		if item.Err != nil {
			broken = append(broken, item.Err)
			return
		}
		items = append(items, item.Obj)
	})
	page.Items, page.Broken = items, broken
	return page, err
}

func (r *byteReader) Each(ctx context.Context, opts metav1.ListOptions, do func(listwatch.Item[any])) (listwatch.Page[any], error) {
	c, err := r.client(ctx, &opts)
	if err != nil {
		return listwatch.Page[any]{}, err
	}
	page, err := c.Each(ctx, opts, func(item listwatch.Item[any]) {
		r.of.arrived.Add(1)
		do(item)
	})
	if err == nil {
		r.of.arrived.Add(1) // also of a list without objects
	}
	return page, r.of.binding.refused(ctx, err)
}

func (r *byteReader) Watch(ctx context.Context, opts metav1.ListOptions) (listwatch.Stream[any], error) {
	c, err := r.client(ctx, &opts)
	if err != nil {
		return nil, err
	}
	opts.AllowWatchBookmarks = *r.settings.EnableWatchBookmarks
	return c.Watch(ctx, opts)
}

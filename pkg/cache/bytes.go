package cache

import (
	"context"
	"fmt"

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
)

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

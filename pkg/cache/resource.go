package cache

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"

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

func newAPI(config *rest.Config, client *http.Client, scheme *runtime.Scheme, mapper meta.RESTMapper) *api {
	return &api{
		config: config, http: client, mapper: mapper,
		codecs: serializer.NewCodecFactory(scheme),
	}
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

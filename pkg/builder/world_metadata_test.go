package builder_test

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache/informertest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ourcache "github.com/delta-runtime/delta-runtime/pkg/toolscache"
)

// withMetadata is a cache of a world, which has Secrets in a second form: controller-runtime's fake finds no informer for metadata.
type withMetadata struct {
	*informertest.FakeInformers
	secrets toolscache.SharedIndexInformer
}

func newWithMetadata(held *informertest.FakeInformers, secrets api) *withMetadata {
	example := &metav1.PartialObjectMetadata{}
	example.SetGroupVersionKind(secret)
	return &withMetadata{held, ourcache.NewSharedIndexInformer(metadataAPI{secrets, secret}, example, 0, toolscache.Indexers{})}
}

func (c *withMetadata) GetInformer(ctx context.Context, obj client.Object, opts ...cache.InformerGetOption) (cache.Informer, error) {
	if _, ok := obj.(*metav1.PartialObjectMetadata); !ok {
		return c.FakeInformers.GetInformer(ctx, obj, opts...)
	}
	if kind := obj.GetObjectKind().GroupVersionKind(); kind != secret {
		return nil, fmt.Errorf("the world has no metadata of %s", kind)
	}
	return c.secrets, nil
}

// metadataAPI serves the metadata of the objects of a fake API server.
type metadataAPI struct {
	api
	kind schema.GroupVersionKind
}

func (m metadataAPI) metadataOf(obj runtime.Object) *metav1.PartialObjectMetadata {
	full, err := meta.Accessor(obj)
	if err != nil {
		panic(err) // this is what the world has put there
	}
	partial := meta.AsPartialObjectMetadata(full)
	partial.SetGroupVersionKind(m.kind)
	return partial
}

func (m metadataAPI) List(opts metav1.ListOptions) (runtime.Object, error) {
	full, err := m.api.List(opts)
	if err != nil {
		return nil, err
	}
	head, err := meta.ListAccessor(full)
	if err != nil {
		return nil, err
	}
	list := &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: head.GetResourceVersion()}}
	return list, meta.EachListItem(full, func(obj runtime.Object) error {
		list.Items = append(list.Items, *m.metadataOf(obj))
		return nil
	})
}

func (m metadataAPI) Watch(opts metav1.ListOptions) (apiwatch.Interface, error) {
	full, err := m.api.Watch(opts)
	if err != nil {
		return nil, err
	}
	return apiwatch.Filter(full, func(e apiwatch.Event) (apiwatch.Event, bool) {
		e.Object = m.metadataOf(e.Object)
		return e, true
	}), nil
}

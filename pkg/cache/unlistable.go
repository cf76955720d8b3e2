package cache

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
)

// A server has kinds that it can create and not list, such as reviews, tokens and bindings.
// An informer of such a kind never syncs, whatever a person does. The server says so by the
// answer to a list, or does not: an account without permission is told only that.
// What discovery says of the kind's verbs decides then. It is not asked before a list has
// been refused, so that it costs nothing where all is well.

// discoveryPatience is how long a refused list waits for what discovery says.
const discoveryPatience = 10 * time.Second

// refused returns the error that a list has failed with, or the reason behind it if the
// server can't list the kind at all. If the server has the kind under another name than
// before, the next request asks for that.
func (b *binding) refused(ctx context.Context, err error) error {
	found := b.bound.Load()
	unsupported, missing := apierrors.IsMethodNotSupported(err), apierrors.IsNotFound(err)
	if found == nil || !missing && (b.listable.Load() || !unsupported && !apierrors.IsForbidden(err)) {
		return err
	}
	verbs, known := b.offered(ctx, found)
	switch {
	case known && slices.Contains(verbs, "list"):
		b.listable.Store(true)
		return err
	case !known && !unsupported:
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.noList == nil {
		b.noList = cannotList(found.called.GroupResource(), verbs)
		close(b.listless)
	}
	return b.noList
}

// offered returns what discovery says that the server can do with the kind's resource, and false if it does not say. A
// CRD that was deleted may have come back with another plural. The mapper would not tell, because it remembers the first.
func (b *binding) offered(ctx context.Context, found *bound) (verbs []string, known bool) {
	all := b.api.resources(ctx, found.called.GroupVersion())
	for _, resource := range all {
		if resource.Name == found.called.Resource {
			return resource.Verbs, true
		}
	}
	for _, resource := range all {
		of := meta.RESTScopeNameRoot
		if resource.Namespaced {
			of = meta.RESTScopeNameNamespace
		}
		if resource.Kind != b.id.gvk.Kind || of != found.scope || strings.Contains(resource.Name, "/") {
			continue
		}
		if renamed, err := b.bindTo(found.called.GroupVersion().WithResource(resource.Name), of); err == nil {
			b.bound.CompareAndSwap(found, renamed)
		}
		return resource.Verbs, true
	}
	return nil, false
}

// cannotList says that a kind can't be listed, and which verbs the server has for it, if these are known.
// apierrors.IsMethodNotSupported is true of it.
func cannotList(called schema.GroupResource, verbs []string) error {
	unsupported := apierrors.NewMethodNotSupported(called, "list")
	if len(verbs) == 0 {
		return fmt.Errorf("%w: %w", listwatch.ErrNoList, unsupported)
	}
	return fmt.Errorf("%w, but only %s it: %w", listwatch.ErrNoList, strings.Join(verbs, ", "), unsupported)
}

// whyNoList is why the server can't list the kind. listless must be closed.
func (b *binding) whyNoList() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.noList
}

// resources asks discovery what there is of a version of a group, which is nothing if it does not say.
func (a *api) resources(ctx context.Context, of schema.GroupVersion) []metav1.APIResource {
	ctx, cancel := context.WithTimeout(ctx, discoveryPatience)
	defer cancel()
	client, err := discovery.NewDiscoveryClientForConfigAndClient(a.plainConfig(), a.http)
	if err != nil {
		return nil
	}
	all, err := client.ServerResourcesForGroupVersionWithContext(ctx, of.String())
	if err != nil {
		return nil
	}
	return all.APIResources
}

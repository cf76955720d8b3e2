package cache

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"

	"github.com/delta-runtime/delta-runtime/internal/listwatch"
)

// A server has kinds that it can create and not list, such as reviews, tokens and bindings.
// An informer of such a kind never syncs, whatever a person does. The server says so by the
// answer to a list, or does not: an account without permission is told only that.
// What discovery says of the kind's verbs decides then. It is not asked before a list has
// been refused, so that it costs nothing where all is well.

// discoveryPatience is how long a refused list waits for what discovery says.
const discoveryPatience = 10 * time.Second

// refused returns the error that a list has failed with, or the reason behind it if the
// server can't list the kind at all.
func (b *binding) refused(ctx context.Context, err error) error {
	found := b.bound.Load()
	unsupported := apierrors.IsMethodNotSupported(err)
	if found == nil || b.listable.Load() || !unsupported && !apierrors.IsForbidden(err) && !apierrors.IsNotFound(err) {
		return err
	}
	verbs, known := b.api.verbs(ctx, found.called)
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

// verbs asks discovery what the server can do with a resource. It reports false if it does not say.
func (a *api) verbs(ctx context.Context, called schema.GroupVersionResource) (verbs []string, known bool) {
	ctx, cancel := context.WithTimeout(ctx, discoveryPatience)
	defer cancel()
	client, err := discovery.NewDiscoveryClientForConfigAndClient(a.plainConfig(), a.http)
	if err != nil {
		return nil, false
	}
	all, err := client.ServerResourcesForGroupVersionWithContext(ctx, called.GroupVersion().String())
	if err != nil {
		return nil, false
	}
	for _, resource := range all.APIResources {
		if resource.Name == called.Resource {
			return resource.Verbs, true
		}
	}
	return nil, false
}

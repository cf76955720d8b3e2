package cache

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// found is called when the server has a kind that was missing when it was made. Such a kind is taken
// to have namespaces, because most kinds have. If it has none, and the cache is limited to some, its informer gets
// one scope in place of these.
func (k *kind) found(c *Cache, scope meta.RESTScopeName) {
	byName := *k.byName.Load()
	if _, all := byName[metav1.NamespaceAll]; scope != meta.RESTScopeNameRoot || all && len(byName) == 1 {
		k.reader.Store(k.newReader(scope))
		return
	}
	k.binding.widens.Store(true)
	c.mu.Lock()
	group := c.group
	c.mu.Unlock()
	// A scope is not removed before its Reflector has ended, and that is who calls this.
	_ = group.Task("list "+k.id.String()+" as a whole", func(ctx context.Context) {
		if err := k.widen(ctx, c); err != nil && !errors.Is(err, engine.ErrStopped) {
			c.ours.Log.Error(err, "A kind without namespaces can't be listed as a whole", "kind", k.id.String())
		}
	})
}

// widen has the kind's informer keep the kind as a whole. The namespaces go when that can be read, so that the informer does not
// claim to have synced before.
func (k *kind) widen(ctx context.Context, c *Cache) error {
	namespaces, err := k.coverAll(c)
	if err != nil {
		return err
	}
	synced, _, err := k.core.ScopeReady(metav1.NamespaceAll)
	if err != nil {
		return err
	}
	select {
	case <-synced:
	case <-k.removed:
		return nil
	case <-ctx.Done():
		return nil
	}
	for namespace := range namespaces {
		if namespace == metav1.NamespaceAll {
			continue
		}
		if err := k.core.RemoveScope(namespace, informer.Silently); err != nil {
			return err
		}
	}
	c.scoping.Lock()
	defer c.scoping.Unlock()
	k.byName.Store(&map[string]settings{metav1.NamespaceAll: k.in(metav1.NamespaceAll)})
	return nil
}

// coverAll adds the scope of everything, and returns the namespaces that there are beside it. From then on, no
// namespace is added to the kind or removed from it.
func (k *kind) coverAll(c *Cache) (map[string]settings, error) {
	c.scoping.Lock()
	defer c.scoping.Unlock()
	before := *k.byName.Load()
	if _, ok := before[metav1.NamespaceAll]; ok { // it leaves out namespaces, by a selector that the kind does not have
		if err := k.core.RemoveScope(metav1.NamespaceAll, informer.Silently); err != nil {
			return nil, err
		}
	}
	k.resyncing.Lock()
	k.madeAs = meta.RESTScopeNameRoot
	k.resyncing.Unlock()
	s := c.plan.Load().general(k.id.gvk)
	s.whole = true
	byName := maps.Clone(before)
	byName[metav1.NamespaceAll] = s
	k.forgetResync(metav1.NamespaceAll)
	k.byName.Store(&byName)
	if err := k.core.AddScope(k.scope(metav1.NamespaceAll, s)); err != nil {
		return nil, err
	}
	k.reader.Store(k.newReader(meta.RESTScopeNameRoot))
	if err := k.followResync(c); err != nil {
		return nil, fmt.Errorf("follow the resync policy: %w", err)
	}
	return before, nil
}

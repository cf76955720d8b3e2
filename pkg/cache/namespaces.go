package cache

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"

	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// AddNamespace adds a namespace to those that the cache is limited to by
// DefaultNamespaces, for every kind that is limited by these, now and later. config
// is what DefaultNamespaces would have for it. It waits until what there is in the
// namespace can be read, apart from kinds that may be missing ([WaitForIt]) and are; if ctx
// ends first the namespace stays added.
//
// Handlers are told of the namespace's objects as of any initial list. Nobody knows what was
// deleted before it, so no request of their controllers is complete until its next success. While one
// of the kinds is not there yet, reads of that kind over all namespaces are
// refused.
func (c *Cache) AddNamespace(ctx context.Context, namespace string, config crcache.Config) error {
	if err := c.addNamespace(ctx, namespace, config); err != nil {
		return fmt.Errorf("add namespace %q to the cache: %w", namespace, err)
	}
	return nil
}

func (c *Cache) addNamespace(ctx context.Context, namespace string, config crcache.Config) error {
	added, err := namespaceSettings("config", map[string]crcache.Config{namespace: config})
	switch {
	case err != nil:
		return err
	case namespace == metav1.NamespaceAll:
		return errors.New("all namespaces can't be added to some")
	}
	kinds, err := c.cover(namespace, added[namespace])
	if err != nil {
		return err
	}
	for _, k := range kinds {
		if err := k.awaitNamespace(ctx, namespace, c.ended); err != nil {
			return err
		}
	}
	return nil
}

// cover adds a namespace to the plan and to the kinds that it limits, and returns
// these. The server is not waited for under the lock: it may refuse the namespace for
// long, and others want to come and go meanwhile.
func (c *Cache) cover(namespace string, s settings) ([]*kind, error) {
	c.scoping.Lock()
	defer c.scoping.Unlock()
	now := c.plan.Load()
	if _, ok := now.namespaces[namespace]; ok {
		return nil, errors.New("it is there already")
	}
	if _, ok := now.namespaces[metav1.NamespaceAll]; ok || len(now.namespaces) == 0 {
		return nil, errors.New("the cache covers all namespaces")
	}
	c.replan(func(p *plan) {
		p.namespaces = maps.Clone(p.namespaces)
		p.namespaces[namespace] = s
	})
	kinds := c.limited()
	for _, k := range kinds {
		if err := k.addNamespace(c, namespace); err != nil {
			return nil, err
		}
	}
	return kinds, nil
}

// RemoveNamespace ends what AddNamespace or DefaultNamespaces began: the namespace's
// objects leave the cache, and reads there are refused. Handlers are told nothing,
// because one that cleans up after a deletion would destroy what still exists;
// subscribers to deltas are told delta.OutOfScope if how says so.
//
// It waits until nothing of the namespace is listed or watched any more. So a watch error
// handler or a transform must not call it, nor AddNamespace, but leave it to a goroutine.
func (c *Cache) RemoveNamespace(_ context.Context, namespace string, how informer.Removal) error {
	c.scoping.Lock()
	defer c.scoping.Unlock()
	now := c.plan.Load()
	_, ok := now.namespaces[namespace]
	switch {
	case !ok:
		return fmt.Errorf("remove namespace %q from the cache: %w", namespace, informer.ErrNotCovered)
	case how != informer.Silently && how != informer.AsOutOfScope:
		return fmt.Errorf("remove namespace %q from the cache: the way is %d, which is neither informer.Silently nor informer.AsOutOfScope", namespace, how)
	case namespace == metav1.NamespaceAll || len(now.namespaces) == 1:
		return fmt.Errorf("remove namespace %q from the cache: without it the cache would cover all namespaces", namespace)
	}
	c.replan(func(p *plan) {
		p.namespaces = maps.Clone(p.namespaces)
		delete(p.namespaces, namespace)
	})
	for _, k := range c.limited() {
		if err := k.removeNamespace(namespace, how); err != nil {
			return fmt.Errorf("remove namespace %q from the cache: %w", namespace, err)
		}
	}
	return nil
}

// limited returns the kinds that are limited by the default namespaces and may have read
// the plan before it was changed. It waits until those are made, and not for what the API
// server has to say of a kind.
func (c *Cache) limited() []*kind {
	var kinds []*kind
	for id, k := range *c.kinds.Load() {
		if c.plan.Load().kinds[id.gvk].namespaces == nil && k.planned.Load() && k.made(context.Background()) == nil && k.reader.Load().scope != meta.RESTScopeNameRoot {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// addNamespace adds a scope to the kind, unless it was made with it.
func (k *kind) addNamespace(c *Cache, namespace string) error {
	byName := *k.byName.Load()
	if _, ok := byName[namespace]; ok {
		return nil
	}
	s := c.plan.Load().settings(k.id.gvk, namespace)
	byName = maps.Clone(byName)
	byName[namespace] = s
	k.byName.Store(&byName)
	if err := k.core.AddScope(k.scope(namespace, s)); err != nil {
		if errors.Is(err, engine.ErrStopped) { // removed from the cache meanwhile, or the cache ends
			return nil
		}
		return err
	}
	return k.followResync(c) // the plan may have changed meanwhile
}

func (k *kind) removeNamespace(namespace string, how informer.Removal) error {
	byName := *k.byName.Load()
	if _, ok := byName[namespace]; !ok {
		return nil
	}
	if err := k.core.RemoveScope(namespace, how); err != nil && !errors.Is(err, engine.ErrStopped) {
		return err
	}
	byName = maps.Clone(byName)
	delete(byName, namespace)
	k.byName.Store(&byName)
	k.forgetResync(namespace) // last: who follows a policy would bring it back
	return nil
}

// awaitNamespace waits until the kind can be read in a namespace, if it is running. It does not
// wait for a kind that may be missing and is, nor for one that the server can't list.
func (k *kind) awaitNamespace(ctx context.Context, namespace string, ended <-chan struct{}) error {
	if !k.core.Started() {
		return nil
	}
	there, settled, err := k.core.ScopeReady(namespace)
	if k.missing == WaitForIt {
		there = settled
	}
	if err == nil {
		err = k.settles(ctx, namespace, there, ended)
	}
	if errors.Is(err, informer.ErrNotCovered) && k.reader.Load().scope == meta.RESTScopeNameRoot {
		return nil // its CRD has come meanwhile, and says that the kind has no namespaces
	}
	return err
}

// settles waits until there is closed, or nothing is to be waited for.
func (k *kind) settles(ctx context.Context, namespace string, there, ended <-chan struct{}) error {
	select {
	case <-there:
		if err := k.core.SyncedIn(namespace); k.missing != WaitForIt || errors.Is(err, informer.ErrNotCovered) {
			return err // it may have been removed meanwhile
		}
		return nil
	case <-k.binding.listless:
		return nil
	case <-k.removed:
		return nil
	case <-ended:
		return errStopped
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", k.core.SyncedIn(namespace), ctx.Err())
	}
}

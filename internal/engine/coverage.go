package engine

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// coverage is which scopes there are. It is immutable.
type coverage[T any] struct {
	scopes []*scope[T] // in order of their namespaces, so that the one of the rest is the first
	named  map[string]*scope[T]
	rest   *scope[T] // the scope of all other namespaces; nil if there is none
}

// cover replaces the scopes.
func (i *Informer[T]) cover(scopes ...*scope[T]) {
	next := &coverage[T]{scopes: scopes, named: make(map[string]*scope[T], len(scopes))}
	slices.SortFunc(next.scopes, func(a, b *scope[T]) int { return cmp.Compare(a.reach.namespace, b.reach.namespace) })
	for _, s := range scopes {
		if s.reach.namespace == "" {
			next.rest = s
		} else {
			next.named[s.reach.namespace] = s
		}
	}
	i.coverage.Store(next)
}

// of returns the scope that has a namespace, if there is one.
func (c *coverage[T]) of(namespace string) *scope[T] {
	if len(c.named) > 0 {
		if s := c.named[namespace]; s != nil {
			return s
		}
	}
	if c.rest != nil && c.rest.reach.has(namespace) {
		return c.rest
	}
	return nil
}

// called returns the scope of this namespace and no other, or that of the rest.
func (c *coverage[T]) called(namespace string) *scope[T] {
	if namespace == "" {
		return c.rest
	}
	return c.named[namespace]
}

// SyncedIn returns nil if the scope that has the namespace is listed. Otherwise the error wraps
// [informer.ErrNotCovered], or [informer.ErrNotSynced] with the reason. Where scopes may be removed meanwhile, ask
// again after reading.
func (i *Informer[T]) SyncedIn(namespace string) error {
	s := i.coverage.Load().of(namespace)
	if s == nil {
		return i.notCovered(namespace)
	}
	return i.syncedScope(s)
}

// SyncedEverywhere is [Informer.SyncedIn] for all scopes there are.
func (i *Informer[T]) SyncedEverywhere() error {
	for _, s := range i.coverage.Load().scopes {
		if err := i.syncedScope(s); err != nil {
			return err
		}
	}
	return nil
}

// ScopeReady returns two channels. Synced is closed when the scope that has the namespace is listed, or has been
// removed; [Informer.SyncedIn] tells which. Settled is for those who do not wait for a scope that is degraded.
func (i *Informer[T]) ScopeReady(namespace string) (synced, settled <-chan struct{}, err error) {
	s := i.coverage.Load().of(namespace)
	if s == nil {
		return nil, nil, i.notCovered(namespace)
	}
	return s.inlet.synced, s.inlet.settled, nil
}

func (i *Informer[T]) syncedScope(s *scope[T]) error {
	if s.inlet.isSynced.Load() {
		return nil
	}
	return fmt.Errorf("%s: %w: %s", i.opts.Name, informer.ErrNotSynced, s.reflector.Status().Why)
}

func (i *Informer[T]) notCovered(namespace string) error {
	return fmt.Errorf("%s in namespace %q: %w", i.opts.Name, namespace, informer.ErrNotCovered)
}

package engine

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// coverage is which scopes there are. It is immutable.
type coverage[T any] struct {
	scopes []*scope[T] // in order of their namespaces, so that the one of the rest is the first
	named  map[string]*scope[T]
	rest   *scope[T] // the scope of all other namespaces; nil if there is none

	leaving *scope[T]        // it is removed, and its Reflector has not ended yet; nil if there is none
	past    reflector.Counts // what the Reflectors have done of scopes that are gone
}

// with returns the coverage with these scopes in place of its own.
func (c *coverage[T]) with(scopes ...*scope[T]) *coverage[T] {
	next := &coverage[T]{scopes: scopes, named: make(map[string]*scope[T], len(scopes)), past: c.past}
	slices.SortFunc(next.scopes, func(a, b *scope[T]) int { return cmp.Compare(a.reach.namespace, b.reach.namespace) })
	for _, s := range scopes {
		if s.reach.namespace == "" {
			next.rest = s
		} else {
			next.named[s.reach.namespace] = s
		}
	}
	return next
}

// cover adds a scope.
func (i *Informer[T]) cover(s *scope[T]) {
	now := i.coverage.Load()
	i.coverage.Store(now.with(append(slices.Clone(now.scopes), s)...))
}

// uncover takes a scope out. Until [Informer.forget] its Reflector may still do something.
func (i *Informer[T]) uncover(s *scope[T]) {
	now := i.coverage.Load()
	next := now.with(slices.DeleteFunc(slices.Clone(now.scopes), func(other *scope[T]) bool { return other == s })...)
	next.leaving = s
	i.coverage.Store(next) // in one, or somebody would read counts without the scope's
}

// forget keeps of the scope that leaves what its Reflector has done, so that no count falls.
func (i *Informer[T]) forget() {
	c := *i.coverage.Load()
	c.past, c.leaving = c.counts(c.leaving), nil
	i.coverage.Store(&c)
}

// counts is what is past and what the Reflectors of some scopes have done.
func (c *coverage[T]) counts(of ...*scope[T]) reflector.Counts {
	all := c.past
	for _, s := range of {
		counts := s.reflector.Counts()
		all.Add(&counts)
	}
	return all
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

// Covers reports whether a scope has the namespace; the empty one is that of the
// objects without a namespace. It takes no lock.
func (i *Informer[T]) Covers(namespace string) bool { return i.coverage.Load().of(namespace) != nil }

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

// ScopeSynced returns a channel that is closed when the scope that has the
// namespace is listed, or has been removed; [Informer.SyncedIn] tells which.
func (i *Informer[T]) ScopeSynced(namespace string) (<-chan struct{}, error) {
	s := i.coverage.Load().of(namespace)
	if s == nil {
		return nil, i.notCovered(namespace)
	}
	return s.inlet.synced, nil
}

// ScopeSettled is [Informer.ScopeSynced] for those who do not wait for a scope that is
// degraded.
func (i *Informer[T]) ScopeSettled(namespace string) (<-chan struct{}, error) {
	s := i.coverage.Load().of(namespace)
	if s == nil {
		return nil, i.notCovered(namespace)
	}
	return s.inlet.settled, nil
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

package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// setPolicy puts a policy into effect that setLocked sets.
func (i *Informer[T]) setPolicy(doing string, policy resync.Policy, setLocked func() error) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	err := policy.Check()
	if err == nil {
		err = setLocked()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	i.rearrangeResyncLocked()
	return nil
}

// SetScopeResync changes the policy of a scope, also while the informer runs: that of this namespace, or that of all
// but some where it is empty. It says when subscribers that have no Period of their own are shown unchanged objects.
// The period counts from each subscriber's last resync, so a shorter one may be over already, and what a resync has
// yet to show goes on by the new policy.
func (i *Informer[T]) SetScopeResync(namespace string, policy resync.Policy) error {
	doing := fmt.Sprintf("set the resync policy of informer for %s in namespace %q", i.opts.Name, namespace)
	return i.setPolicy(doing, policy, func() error {
		s := i.coverage.Load().called(namespace)
		if s == nil {
			return informer.ErrNotCovered
		}
		s.resync = policy
		return nil
	})
}

// OverrideResync has a policy go before those that the subscribers came with, also of those
// that are yet to come. Where it leaves something open, it is as it was. Subscribers that have no Period of their own follow
// the scopes, whatever the Period is here. It is in effect as [Informer.SetScopeResync] is.
func (i *Informer[T]) OverrideResync(policy resync.Policy) error {
	return i.setPolicy("override the resync policies of the subscribers of informer for "+i.opts.Name, policy, func() error {
		i.override = policy
		return nil
	})
}

// Resync has every subscriber shown the objects that the selector chooses, as a Sync each; nil chooses all. It
// returns when that is on its way. Of the policies only the Rate holds for it. Asking again for what has not begun
// asks for nothing more.
func (i *Informer[T]) Resync(selector labels.Selector) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	err := i.SyncedEverywhere()
	if i.phase == stopped {
		err = ErrStopped
	}
	if err != nil {
		return fmt.Errorf("resync %s: %w", i.opts.Name, err)
	}
	i.resync.trigger(selector)
	return nil
}

// Relist has every scope listed again, as if nothing were known of the server's history. It returns when readers see
// the new lists, and counts as no failure. Calls that come before the list begins share it. A scope that waits after
// a failure waits on; if ctx ends meanwhile, the error says why.
func (i *Informer[T]) Relist(ctx context.Context) error {
	if err := i.relist(ctx); err != nil {
		return fmt.Errorf("relist %s: %w", i.opts.Name, err)
	}
	return nil
}

func (i *Informer[T]) relist(ctx context.Context) error {
	i.mu.Lock()
	phase := i.phase
	scopes := i.coverage.Load().scopes
	i.mu.Unlock()
	switch phase {
	case configured:
		return fmt.Errorf("%w: it does not run", informer.ErrNotSynced)
	case stopped:
		return ErrStopped
	case running:
	}
	served := make([]<-chan struct{}, len(scopes)) // all at once, so that they don't wait for each other
	for n, s := range scopes {
		if s.task == nil { // it was stopped before it began
			return ErrStopped
		}
		served[n] = s.reflector.RequestList()
	}
	for n, s := range scopes {
		err := s.awaitList(ctx, served[n])
		if errors.Is(err, ErrStopped) && !slices.Contains(i.coverage.Load().scopes, s) {
			continue // it was removed
		}
		if err != nil {
			return err
		}
	}
	return i.await(ctx)
}

// awaitList waits for a list of the scope, or for the scope's end.
func (s *scope[T]) awaitList(ctx context.Context, served <-chan struct{}) error {
	select {
	case <-served:
		return nil
	case <-s.task.Done():
		return ErrStopped
	case <-ctx.Done():
		return fmt.Errorf("%w: %s", ctx.Err(), s.reflector.Status().Why)
	}
}

// await waits until what is pending is visible.
func (i *Informer[T]) await(ctx context.Context) error {
	entry, answer := asked(func() error { return nil })
	if !i.queue(entry) {
		return ErrStopped
	}
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

package engine

import (
	"slices"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// Status tells how the informer is doing.
func (i *Informer[T]) Status() informer.Status {
	now := time.Now()
	return informer.Status{
		Name:        i.opts.Name,
		Synced:      i.HasSynced(),
		Version:     i.store.Version(),
		Objects:     i.store.Len(),
		Pending:     i.fifo.Len(),
		Reflector:   i.coverage.Load().worst(),
		Scopes:      i.scopeStatus(),
		Subscribers: i.subscriberStatus(now),
		Resync:      i.resync.status(now),
		Mutations:   i.mutated.found.Load(),
		Mutated:     i.mutated.last.Load(),
	}
}

// HeardAt is when the server last said something about any scope.
func (i *Informer[T]) HeardAt() (newest time.Time) {
	for _, s := range i.coverage.Load().scopes {
		if _, at := s.inlet.progress(); at.After(newest) {
			newest = at
		}
	}
	return newest
}

// Gaps is how many times something happened that subscribers are not, or not wholly, told of: a scope was removed, or
// its first list came after subscribers had synced, or something was left out. It never goes back, and takes no lock.
func (i *Informer[T]) Gaps() uint64 { return i.gaps.Load() }

func (i *Informer[T]) countGap() {
	i.gaps.Add(1)
	if i.opts.Gaps != nil {
		i.opts.Gaps.Add(1)
	}
}

// Relists is how many times a scope was listed again. What happened before such a list is
// known by its outcome alone. It takes no lock.
func (i *Informer[T]) Relists() uint64 { return i.tally.Relists() }

// subscriberStatus adds to what the processor knows of subscribers when each is resynced.
func (i *Informer[T]) subscriberStatus(now time.Time) []informer.SubscriberStatus {
	all := i.processor.status(now)
	i.mu.Lock()
	policies := make(map[uint32][]resync.Policy, len(i.subscriptions))
	for s := range i.subscriptions {
		policies[s.subscriber.number] = s.scheduled
	}
	i.mu.Unlock()
	for n := range all {
		all[n].Resync = slices.Clone(policies[all[n].Number])
	}
	return all
}

func (i *Informer[T]) scopeStatus() []informer.ScopeStatus {
	c := i.coverage.Load()
	all := make([]informer.ScopeStatus, len(c.scopes))
	i.mu.Lock()
	for n, s := range c.scopes {
		all[n].Resync = s.resync
	}
	i.mu.Unlock()
	for n, s := range c.scopes {
		all[n].Namespace, all[n].Except = s.reach.namespace, s.reach.except
		all[n].Synced, all[n].Reflector = s.inlet.isSynced.Load(), s.reflector.Status()
		all[n].Version, all[n].HeardAt = s.inlet.progress()
	}
	return all
}

// worst is the status of the scope that is doing worst.
func (c *coverage[T]) worst() (worst informer.ReflectorStatus) {
	for n, s := range c.scopes {
		if status := s.reflector.Status(); n == 0 || severity(&status) > severity(&worst) {
			worst = status
		}
	}
	return worst
}

// severity orders statuses by how much they need a person.
func severity(s *informer.ReflectorStatus) int {
	switch {
	case !s.DegradedSince.IsZero():
		return 4
	case !s.SyncedOnce && s.Attempts > 0:
		return 3
	case !s.SyncedOnce:
		return 2
	case s.State != reflector.Following:
		return 1
	default:
		return 0
	}
}

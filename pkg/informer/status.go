package informer

import "time"

// InformerStatus is how an [Informer] is doing, for people to read.
type InformerStatus struct { //nolint:revive // Status is the Reflector's
	Name    string
	Synced  bool
	Version string // newest resource version that readers can see
	Objects int    // in the store
	Pending int    // deltas that are not in the store yet
	// Reflector is how the scope is doing that is doing worst.
	Reflector Status
	Scopes    []ScopeStatus
	Listeners []ListenerStatus
}

// Status tells how the informer is doing.
func (i *Informer[T]) Status() InformerStatus {
	return InformerStatus{
		Name:      i.opts.Name,
		Synced:    i.HasSynced(),
		Version:   i.store.Version(),
		Objects:   i.store.Len(),
		Pending:   i.fifo.Len(),
		Reflector: i.coverage.Load().worst(),
		Scopes:    i.scopeStatus(),
		Listeners: i.processor.status(time.Now()),
	}
}

// ScopeStatus is how one scope is doing.
type ScopeStatus struct {
	Namespace string
	Except    []string
	Synced    bool
	Version   string    // newest resource version of the scope that readers can see
	HeardAt   time.Time // when the server last said something about it
	Reflector Status
}

func (i *Informer[T]) scopeStatus() []ScopeStatus {
	c := i.coverage.Load()
	all := make([]ScopeStatus, len(c.scopes))
	for n, s := range c.scopes {
		all[n] = ScopeStatus{
			Namespace: s.reach.namespace, Except: s.reach.except,
			Synced: s.inlet.isSynced.Load(), Reflector: s.reflector.Status(),
		}
		all[n].Version, all[n].HeardAt = s.inlet.progress()
	}
	return all
}

// worst is the status of the scope that is doing worst.
func (c *coverage[T]) worst() (worst Status) {
	for n, s := range c.scopes {
		if status := s.reflector.Status(); n == 0 || status.severity() > worst.severity() {
			worst = status
		}
	}
	return worst
}

// severity orders statuses by how much they need a person.
func (s Status) severity() int {
	switch {
	case !s.DegradedSince.IsZero():
		return 4
	case !s.SyncedOnce && s.Attempts > 0:
		return 3
	case !s.SyncedOnce:
		return 2
	case s.State != Following:
		return 1
	default:
		return 0
	}
}

package informer

import "time"

// InformerStatus is how an [Informer] is doing, for people to read.
type InformerStatus struct { //nolint:revive // Status is the Reflector's
	Name      string
	Synced    bool
	Version   string // newest resource version that readers can see
	Objects   int    // in the store
	Pending   int    // deltas that are not in the store yet
	Reflector Status
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
		Reflector: i.reflector.Status(),
		Listeners: i.processor.status(time.Now()),
	}
}

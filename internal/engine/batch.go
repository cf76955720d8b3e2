package engine

import (
	"iter"
	"slices"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/store"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// Batch is what a [DeltaFIFO] hands out: deltas in the order in which they
// arrived. It belongs to the queue and is not to be used after Release.
type Batch[T any] struct {
	items    []item[T]
	controls []control[T]
	version  string
}

func (p *pile[T]) batch() Batch[T] {
	return Batch[T]{items: p.items, controls: p.controls, version: p.version}
}

// Len is the number of deltas.
func (b Batch[T]) Len() int { return len(b.items) }

// Deltas yields the batch. The state before an object is not known yet, so Old is set for
// missed deletions only; and a Sync, whose object is that which is in the store when it is
// applied, has none.
func (b Batch[T]) Deltas() iter.Seq[delta.Delta[T]] {
	return func(yield func(delta.Delta[T]) bool) {
		for i := range b.items {
			if !yield(b.items[i].Delta) {
				return
			}
		}
	}
}

// control is an entry that is not about an object. The Controller carries it out
// when the batch that it came with is visible and published. The set is closed.
type control[T any] interface {
	// abandon answers those who wait for the entry if it will never be carried out.
	abandon(err error)
}

type (
	// join starts telling a subscriber: a snapshot of what is there, then everything
	// from here on.
	join[T any] struct {
		subscriber *subscriber[T]
		joined     chan struct{}
	}

	// reindex adds indexes to the store.
	reindex[T any] struct {
		indexers store.Indexers[T]
		answer   chan error
	}

	// outsideWrite changes the store for those who seed a cache by hand.
	outsideWrite[T any] struct {
		change func(*store.Txn[T])
		answer chan error
	}

	// passage is when everything that was pending before it is visible and published.
	passage[T any] struct{ answer chan error }

	// dismissal takes the objects of a scope out of the store.
	dismissal[T any] struct {
		reach  reach
		how    informer.Removal
		traits *store.Traits[T]
		answer chan error
	}
)

func (c *join[T]) abandon(error)             { close(c.joined) } // and is ended by the informer
func (c *reindex[T]) abandon(err error)      { c.answer <- err }
func (c *outsideWrite[T]) abandon(err error) { c.answer <- err }
func (c *passage[T]) abandon(err error)      { c.answer <- err }
func (c *dismissal[T]) abandon(err error)    { c.answer <- err }

// carryOut takes the objects out, all in one commit, and returns what there is to
// tell of it.
func (c *dismissal[T]) carryOut(s *store.Store[T], version string) []event[T] {
	var keys []delta.Key
	for key := range (inStore[T]{s}).Keys(c.reach.namespace) {
		if c.reach.has(key.Namespace) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, delta.Key.Compare)
	now := time.Now()
	events := make([]event[T], len(keys))
	txn := s.Begin(len(keys))
	defer txn.Commit(version)
	for i, key := range keys {
		old, _ := txn.Remove(key)
		events[i].Delta = delta.Delta[T]{Key: key, Op: delta.OutOfScope, Old: old, Version: c.traits.Version(old), Seen: now}
	}
	return events
}

package informer

import (
	"iter"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/store"
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

// Deltas yields the batch. What was there before an object is not known yet, so
// Old is set for missed deletions only; and a Sync, whose object is that which is
// in the store when it is applied, has none.
func (b Batch[T]) Deltas() iter.Seq[delta.Delta[T]] {
	return func(yield func(delta.Delta[T]) bool) {
		for i := range b.items {
			if !yield(b.items[i].delta()) {
				return
			}
		}
	}
}

func (it *item[T]) delta() delta.Delta[T] {
	d := delta.Delta[T]{
		Key: it.key, Op: it.op, Initial: it.initial, Missed: it.missed,
		Version: it.version, Seen: it.seen, Origin: it.origin,
	}
	if it.missed {
		d.Old = it.obj
	} else {
		d.New = it.obj
	}
	return d
}

// control is an entry that is not about an object. The Controller carries it out
// when the batch that it came with is visible and published. The set is closed.
type control[T any] interface {
	// abandon answers whoever waits for the entry when it will never be carried out.
	abandon(err error)
}

type (
	// join starts telling a listener: a snapshot of what is there, then everything
	// from here on.
	join[T any] struct {
		listener *listener[T]
		joined   chan struct{}
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
)

func (c *join[T]) abandon(error)             { close(c.joined) } // and is ended by the informer
func (c *reindex[T]) abandon(err error)      { c.answer <- err }
func (c *outsideWrite[T]) abandon(err error) { c.answer <- err }

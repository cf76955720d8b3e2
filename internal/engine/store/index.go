package store

import (
	"hash/maphash"
	"iter"
	"maps"
	"slices"
)

// IndexFunc says under which values an object is filed in an index. It must
// depend on the object alone, and must not call the store's writing methods. See
// [Txn.Put] for what an error does.
type IndexFunc[T any] func(T) ([]string, error)

// Indexers are index functions by the name of their index.
type Indexers[T any] map[string]IndexFunc[T]

// index finds the entries filed under a value.
type index[T any] struct {
	name   string       // of a named index, or the label key
	values IndexFunc[T] // nil for a label index, whose value is the label's, and for the namespace index
	seed   maphash.Seed
	table  hashTable[posting[T], struct{}]
	vacant *entry[T] // see posting
}

func newIndex[T any](name string, values IndexFunc[T], seed maphash.Seed) *index[T] {
	x := &index[T]{name: name, values: values, seed: seed, vacant: new(entry[T])}
	x.table.resize(0)
	return x
}

// hashOf never returns 0, which marks a free slot.
func hashOf(seed maphash.Seed, s string) uint32 {
	return uint32(maphash.String(seed, s)>>32) | 1
}

// find returns the posting of value, nil if no entry is filed under it.
func (x *index[T]) find(value string) *posting[T] {
	hash := hashOf(x.seed, value)
	t := *x.table.slots.Load()
	for p, at := t.seek(hash, t.start(hash)); p != nil; p, at = t.seek(hash, at.after()) {
		if p.value == value {
			return p
		}
	}
	return nil
}

// open is find, and makes the posting if there is none.
func (x *index[T]) open(value string) *posting[T] {
	if p := x.find(value); p != nil {
		return p
	}
	p := &posting[T]{of: x, value: value}
	x.table.add(hashOf(x.seed, value), p, nil)
	return p
}

// remove takes e out of p, and p out of the index once nothing is left in it, so
// that values which come and go leave nothing behind.
func (x *index[T]) remove(p *posting[T], e *entry[T]) {
	p.remove(e)
	if p.live.Load() == 0 {
		x.table.remove(hashOf(x.seed, p.value), p)
	}
}

// all returns every posting.
func (x *index[T]) all() iter.Seq2[*posting[T], *struct{}] { return x.table.slots.Load().all() }

// catalog is the set of indexes. It is replaced as a whole, so that a reader sees
// an index complete or not at all.
type catalog[T any] struct {
	all    []*index[T]          // the order in which a filing lists them
	named  map[string]*index[T] // by name
	labels map[string]*index[T] // by label key
}

// with returns a catalog that has more indexes.
func (c *catalog[T]) with(more []*index[T]) *catalog[T] {
	next := &catalog[T]{all: slices.Concat(c.all, more), named: map[string]*index[T]{}, labels: map[string]*index[T]{}}
	maps.Copy(next.named, c.named)
	maps.Copy(next.labels, c.labels)
	for _, x := range more {
		if x.values == nil {
			next.labels[x.name] = x
		} else {
			next.named[x.name] = x
		}
	}
	return next
}

package engine

import (
	"iter"
	"math"
	"slices"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// item is an event and its place in a pile. The state before it is not known yet, so Old
// is set for a missed deletion alone, as the last known state; and a Sync has no object.
type item[T any] struct {
	event[T]

	hash    uint32 // of the key
	prev    int32  // position of the key's previous item in the pile, or none. Invariant: before its own.
	arrival uint64 // Invariant: it grows with the position.
}

// none is the end of a chain of items of one key.
const none = int32(-1)

// pile is deltas in the order in which they arrived, with a view by key: the index
// has the position of a key's newest item, and each item that of the one before.
// So a key's first delta costs no allocation of its own.
type pile[T any] struct {
	items    []item[T]
	index    keyIndex[T] // Invariant: it has each key of an item, at the newest of them.
	controls []control
	version  string // what the store's watermark will be; empty leaves it
}

func (p *pile[T]) empty() bool {
	return len(p.items) == 0 && len(p.controls) == 0 && p.version == ""
}

// add appends the item, unless it repeats a deletion. It reports whether the pile
// has grown.
func (p *pile[T]) add(it *item[T]) bool {
	p.makeRoom(1)
	if it.hash == 0 {
		it.hash = hashOf(it.Key)
	}
	slot := p.index.slot(p.items, it.hash, it.Key)
	it.prev = none
	if at := p.index.at(slot); at != none {
		newest := &p.items[at]
		if newest.Op == delta.Deleted && it.Op == delta.Deleted {
			if newest.Missed { // an event knows the final state, a relist does not
				it.prev, it.arrival = newest.prev, newest.arrival
				*newest = *it
			}
			return false
		}
		it.prev = at
	}
	p.index.put(slot, int32(len(p.items)))
	p.items = append(p.items, *it)
	if p.index.full() {
		p.index.rebuild(p.items, 0)
	}
	return true
}

// newest returns the key's newest item, for the caller to change in place.
func (p *pile[T]) newest(key delta.Key) (*item[T], bool) {
	if len(p.items) == 0 {
		return nil, false
	}
	at := p.index.at(p.index.slot(p.items, hashOf(key), key))
	if at == none {
		return nil, false
	}
	return &p.items[at], true
}

// has reports whether anything is there for the key.
func (p *pile[T]) has(key delta.Key) bool {
	_, ok := p.newest(key)
	return ok
}

// newestChange is newest, looking past what changes nothing.
func (p *pile[T]) newestChange(key delta.Key) (*item[T], bool) {
	it, ok := p.newest(key)
	for ok && it.Op == delta.Sync {
		if it.prev == none {
			return nil, false
		}
		it = &p.items[it.prev]
	}
	return it, ok
}

// keys yields each key once, that with the oldest item first.
func (p *pile[T]) keys() iter.Seq[delta.Key] {
	return func(yield func(delta.Key) bool) {
		for i := range p.items {
			if it := &p.items[i]; it.prev == none && !yield(it.Key) {
				return
			}
		}
	}
}

// oldest is the number of the oldest item, or later than any where there is none.
func (p *pile[T]) oldest() uint64 {
	if len(p.items) == 0 {
		return math.MaxUint64
	}
	return p.items[0].arrival
}

// drop takes out the items of all keys that gone says are to go.
func (p *pile[T]) drop(gone func(delta.Key) bool) {
	all := p.items
	if !slices.ContainsFunc(all, func(it item[T]) bool { return gone(it.Key) }) {
		return
	}
	p.items, p.index = nil, keyIndex[T]{}
	for i := range all {
		if !gone(all[i].Key) {
			p.add(&all[i])
		}
	}
}

// makeRoom makes room for n items.
func (p *pile[T]) makeRoom(n int) {
	if n > 1 && (p.index.used+n)*4 >= len(p.index.slots)*3 {
		p.index.rebuild(p.items, n)
	}
	p.items = slices.Grow(p.items, n)
}

// roomKept is how much room a pile keeps however little it is used. Beyond that it keeps what it has while a quarter
// is used, so that a relist does not fill memory for good.
const roomKept = 4096

// reset empties the pile for the next use.
func (p *pile[T]) reset() {
	clear(p.controls)
	p.controls, p.version = p.controls[:0], ""
	p.index.clear(p.items)
	if cap(p.items) > roomKept && len(p.items) < cap(p.items)/4 {
		p.items, p.index = nil, keyIndex[T]{}
	}
	clear(p.items)
	p.items = p.items[:0]
}

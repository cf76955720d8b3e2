package store

import (
	"iter"
	"sync/atomic"
)

// posting is the set of entries filed under one value of an index. Like the table
// it has one writer and readers without a lock.
//
// It may hold an entry whose newest version is filed elsewhere, for a view that
// still needs it here: such an entry is stale. It may also hold one that came
// after the commit that a reader looks at. So in general a reader asks the version
// it sees whether it belongs ([filing.has]). That costs two more cache misses for
// each object and is seldom needed, so exactAt tells when it is not.
//
// It holds entries, not keys, so that reading an index looks nothing up. The slot
// of an entry that was removed holds the index's vacant entry: a search must not stop there.
type posting[T any] struct {
	of    *index[T]
	value string
	slots atomic.Pointer[[]atomic.Pointer[entry[T]]] // nil until the first add
	live  atomic.Int32                               // Invariant: the number of entries; readers choose the shortest posting by it.
	stale atomic.Int32                               // entries whose newest version is not filed here; not counted for a namespace
	used  int32                                      // Invariant: the number of slots that are not free.

	// changed is the last commit that filed an entry here or elsewhere instead. It
	// is stored before the change, so a reader that finds it unchanged after
	// reading has read nothing newer.
	changed atomic.Uint64
}

// exactAt reports whether everything here belongs here at seq. A reader must ask
// before and after.
func (p *posting[T]) exactAt(seq uint64) bool {
	return p.changed.Load() <= seq && p.stale.Load() == 0
}

// enter files the newest version of e here, which was not filed here before.
func (p *posting[T]) enter(e *entry[T], seq uint64) {
	p.changed.Store(seq)
	if !p.add(e) {
		p.stale.Add(-1) // it was here for an older version
	}
}

// leave says that the newest version of e is no longer filed here. The entry stays
// until nobody needs its older versions here either ([Store.unfileLocked]).
func (p *posting[T]) leave(seq uint64) {
	p.changed.Store(seq)
	p.stale.Add(1)
}

// minSlots is the smallest posting.
const minSlots = 4

// entries returns the slots to walk: entries, vacant entries and nil.
func (p *posting[T]) entries() []atomic.Pointer[entry[T]] {
	if slots := p.slots.Load(); slots != nil {
		return *slots
	}
	return nil
}

// add puts e into the set and reports whether it is new there.
func (p *posting[T]) add(e *entry[T]) bool {
	if size := len(p.entries()); int(p.used)+1 > size-size/8-1 {
		p.resize(max(2*int(p.live.Load()), minSlots))
	}
	if !store(p.entries(), e) {
		return false
	}
	p.live.Add(1)
	p.used++
	return true
}

// store puts e into the first free slot and reports whether it was new.
func store[T any](slots []atomic.Pointer[entry[T]], e *entry[T]) bool {
	for at := home(e.hash, len(slots)); ; at++ {
		if at == len(slots) {
			at = 0
		}
		switch slots[at].Load() {
		case e:
			return false
		case nil:
			slots[at].Store(e)
			return true
		}
	}
}

func (p *posting[T]) resize(size int) {
	to := make([]atomic.Pointer[entry[T]], size)
	p.used = 0
	for e := range p.all() {
		store(to, e)
		p.used++
	}
	p.slots.Store(&to)
}

// remove takes e, which is stale, out of the set.
func (p *posting[T]) remove(e *entry[T]) {
	slots := p.entries()
	if len(slots) == 0 {
		return
	}
	for at := home(e.hash, len(slots)); ; at++ {
		if at == len(slots) {
			at = 0
		}
		switch slots[at].Load() {
		case nil:
			return
		case e:
			slots[at].Store(p.of.vacant)
			p.stale.Add(-1)
			live := int(p.live.Add(-1))
			if len(slots) > 64 && live < len(slots)/8 {
				p.resize(2 * live)
			}
			return
		}
	}
}

// all returns the entries, in no order.
func (p *posting[T]) all() iter.Seq[*entry[T]] {
	return func(yield func(*entry[T]) bool) {
		slots := p.entries()
		for i := range slots {
			if e := slots[i].Load(); e != nil && e != p.of.vacant && !yield(e) {
				return
			}
		}
	}
}

// holds reports whether e is in the set.
func (p *posting[T]) holds(e *entry[T]) bool {
	for other := range p.all() {
		if other == e {
			return true
		}
	}
	return false
}

package keyqueue

import (
	"hash/maphash"
	"time"
)

// entry is everything the queue knows about one key. It exists while the key is
// queued, timed or being worked on, and is gone when it is none of these.
type entry[K comparable] struct {
	key  K
	hash uint64

	prev, next *entry[K] // neighbours in a lane; next also links the free list

	priority int           // of the queued work
	since    time.Duration // when it was queued
	queued   bool          // somebody wants it worked on
	inLane   bool          // it is linked into a lane, or into the custom order

	timer         int32 // position among the timers plus one; 0: no timer
	working       int32 // position among the keys being worked on plus one; 0: nobody works on it
	timerPriority int   // the priority that the timer will queue it with
	due           time.Duration
	seq           uint64 // orders timers that are due at the same instant

	started time.Duration // when the worker took it
}

// idle says that nothing keeps the entry alive.
func (e *entry[K]) idle() bool {
	return !e.queued && e.timer == 0 && e.working == 0
}

// table finds an entry by its key: open addressing, linear probing, a power of
// two of slots that is at most three quarters full.
//
// It stands in for a built-in map because an entry is looked up, inserted and
// removed once per cycle: a map hashes the key for each of the four steps and
// keeps a second copy of it, the table hashes it twice and keeps none.
type table[K comparable] struct {
	seed  maphash.Seed
	slots []slot[K]
	n     int
}

// slot keeps the hash so that probing and growing touch no entry but the one
// that is looked for.
type slot[K comparable] struct {
	hash  uint64
	entry *entry[K] // nil: free
}

// minSlots is where a table starts, and what it never shrinks below.
const minSlots = 64

func newTable[K comparable]() table[K] {
	return table[K]{seed: maphash.MakeSeed(), slots: make([]slot[K], minSlots)}
}

func (t *table[K]) hash(key K) uint64 { return maphash.Comparable(t.seed, key) }

// find returns key's entry or nil. The hash is the caller's, who needs it again
// to insert.
func (t *table[K]) find(key K, hash uint64) *entry[K] {
	mask := uint64(len(t.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.entry == nil {
			return nil
		}
		if s.hash == hash && s.entry.key == key {
			return s.entry
		}
	}
}

// insert adds an entry whose key is not in the table.
func (t *table[K]) insert(e *entry[K]) {
	if (t.n+1)*4 > len(t.slots)*3 {
		t.resize(len(t.slots) * 2)
	}
	t.place(slot[K]{hash: e.hash, entry: e})
	t.n++
}

func (t *table[K]) place(s slot[K]) {
	mask := uint64(len(t.slots) - 1)
	i := s.hash & mask
	for t.slots[i].entry != nil {
		i = (i + 1) & mask
	}
	t.slots[i] = s
}

// remove takes out an entry that is in the table. Later entries of its run move
// up, so that no run is ever interrupted by a free slot.
func (t *table[K]) remove(e *entry[K]) {
	mask := uint64(len(t.slots) - 1)
	hole := e.hash & mask
	for t.slots[hole].entry != e {
		hole = (hole + 1) & mask
	}
	for i := (hole + 1) & mask; t.slots[i].entry != nil; i = (i + 1) & mask {
		// The entry at i may fill the hole only if its probe passes the hole.
		home := t.slots[i].hash & mask
		if (i-home)&mask >= (i-hole)&mask {
			t.slots[hole] = t.slots[i]
			hole = i
		}
	}
	t.slots[hole] = slot[K]{}
	t.n--
	if len(t.slots) > minSlots && t.n*8 < len(t.slots) {
		t.resize(len(t.slots) / 2)
	}
}

func (t *table[K]) resize(slots int) {
	old := t.slots
	t.slots = make([]slot[K], slots)
	for _, s := range old {
		if s.entry != nil {
			t.place(s)
		}
	}
}

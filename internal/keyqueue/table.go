package keyqueue

import (
	"hash/maphash"
	"time"
)

// entry is what the queue knows about one key. It exists while the key is queued, has a
// timer or is being worked on.
type entry[K comparable] struct {
	key  K
	hash uint64

	prev, next *entry[K] // neighbours in a lane; next also links the entries to use again

	priority int           // of the queued work
	since    time.Duration // when it was queued
	queued   bool          // it waits to be handed out
	inLane   bool          // it is in a lane, or in the caller's Order. Invariant: only if queued.

	timer         int32 // its position in timers.heap plus one; 0: no timer
	working       int32 // its position in schedule.working plus one; 0: no worker has it
	timerPriority int   // the priority that the timer will queue it with
	due           time.Duration
	seq           uint64 // the order of timers that are due at the same instant

	started time.Duration // when a worker got it
}

// idle reports that the queue need not know the key any longer.
func (e *entry[K]) idle() bool {
	return !e.queued && e.timer == 0 && e.working == 0
}

// table finds an entry by its key: open addressing, linear probing, a power of
// two of slots that is at most three quarters full.
//
// A cycle of a key looks it up twice, inserts it and removes it. A built-in map would hash
// the key for each of these four steps and keep a second copy of it. The table of internal/engine/store does not reuse the
// slot of a removed node until it copies all slots, so a key that comes back again and again would fill it.
type table[K comparable] struct {
	seed  maphash.Seed
	slots []slot[K] // Invariant: a power of two of them, at most three quarters in use.
	n     int       // Invariant: the number of slots in use.
}

// slot repeats the hash. A search then reads no entry but the one that it finds, and
// resize reads none.
type slot[K comparable] struct {
	hash  uint64
	entry *entry[K] // nil: free
}

// minSlots is the size of a new table. A table never gets smaller.
const minSlots = 64

func newTable[K comparable]() table[K] {
	return table[K]{seed: maphash.MakeSeed(), slots: make([]slot[K], minSlots)}
}

func (t *table[K]) hash(key K) uint64 { return maphash.Comparable(t.seed, key) }

// find returns key's entry or nil. The caller passes in the hash, because it needs the hash
// again to insert.
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

// remove takes out an entry that is in the table. It moves later entries of the run up, so
// that no free slot interrupts a run.
func (t *table[K]) remove(e *entry[K]) {
	mask := uint64(len(t.slots) - 1)
	hole := e.hash & mask
	for t.slots[hole].entry != e {
		hole = (hole + 1) & mask
	}
	for i := (hole + 1) & mask; t.slots[i].entry != nil; i = (i + 1) & mask {
		// The entry at i may fill the hole only if a search for it passes the hole.
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

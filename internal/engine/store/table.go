package store

import (
	"iter"
	"sync/atomic"
)

// hashTable finds nodes by a 32-bit hash. One goroutine writes, any number read
// without a lock: a slot changes by one atomic store, and a table that has become
// too small is copied and then exchanged. Equality of nodes is the caller's
// business, who walks all nodes of one hash with seek.
//
// Beside a node stands a head that the caller may exchange. The head is found without
// waiting for the node to come from memory.
//
// A Go map under an RWMutex would do the same with less code;
// docs/adr/0002-store-structure.md says what it costs.
type hashTable[N, H any] struct {
	slots atomic.Pointer[buckets[N, H]]

	used int // Invariant: the number of slots that are not free, counting those whose node was removed.
	live int // Invariant: the number of nodes, at most used.
}

// perBucket makes a bucket as large as a cache line, so that a search looks at one
// line before it looks at the node.
const perBucket = 3

type bucket[N, H any] struct {
	tags  [perBucket]atomic.Uint32 // the node's hash, never 0; 0 is a free slot
	nodes [perBucket]atomic.Pointer[N]
	heads [perBucket]atomic.Pointer[H]
}

// buckets is one size of a table. Invariant: it has a free slot, which ends a search.
type buckets[N, H any] []bucket[N, H]

// home is where the search for a hash starts: the hash, scaled to the table.
func home(hash uint32, size int) int {
	return int(uint64(hash) * uint64(size) >> 32)
}

// place is a slot of a table.
type place struct{ bucket, slot int }

func (t buckets[N, H]) start(hash uint32) place {
	return place{bucket: home(hash, len(t))}
}

// seek returns the first node with this hash at or after a place, and its place.
// It returns nil when there is none.
func (t buckets[N, H]) seek(hash uint32, at place) (*N, place) {
	for {
		b := &t[at.bucket]
		for ; at.slot < perBucket; at.slot++ {
			switch b.tags[at.slot].Load() {
			case 0:
				return nil, at
			case hash:
				if n := b.nodes[at.slot].Load(); n != nil {
					return n, at
				}
			}
		}
		at.slot = 0
		if at.bucket++; at.bucket == len(t) {
			at.bucket = 0
		}
	}
}

// after is the place to go on from.
func (p place) after() place { return place{p.bucket, p.slot + 1} }

// put takes the first free slot. Node and head are stored before the hash, so that
// a reader that sees the hash sees them. Slots of removed nodes are left alone: they
// go when the table is next copied, and until then a search relies on them.
func (t buckets[N, H]) put(hash uint32, n *N, head *H) {
	for at := home(hash, len(t)); ; {
		b := &t[at]
		for i := range b.tags {
			if b.tags[i].Load() == 0 {
				b.nodes[i].Store(n)
				b.heads[i].Store(head)
				b.tags[i].Store(hash)
				return
			}
		}
		if at++; at == len(t) {
			at = 0
		}
	}
}

// all returns the nodes and their heads, in no order.
func (t buckets[N, H]) all() iter.Seq2[*N, *H] {
	return func(yield func(*N, *H) bool) {
		for i := range t {
			b := &t[i]
			for j := range b.nodes {
				if n := b.nodes[j].Load(); n != nil && !yield(n, b.heads[j].Load()) {
					return
				}
			}
		}
	}
}

// resize copies the table into one for n nodes and as many again by a third,
// without what was removed.
func (h *hashTable[N, H]) resize(n int) {
	to := make(buckets[N, H], 1+(n+n/3)/perBucket)
	if from := h.slots.Load(); from != nil {
		for i := range *from {
			b := &(*from)[i]
			for j := range b.nodes {
				if n := b.nodes[j].Load(); n != nil {
					to.put(b.tags[j].Load(), n, b.heads[j].Load())
				}
			}
		}
	}
	h.slots.Store(&to)
	h.used = h.live
}

// add files n under hash. The caller knows that it is not there.
func (h *hashTable[N, H]) add(hash uint32, n *N, head *H) {
	if size := perBucket * len(*h.slots.Load()); h.used+1 > size-size/8-1 {
		h.resize(2 * h.live)
	}
	h.slots.Load().put(hash, n, head)
	h.used++
	h.live++
}

// remove takes n out and says whether it was there.
func (h *hashTable[N, H]) remove(hash uint32, n *N) bool {
	t := *h.slots.Load()
	for found, at := t.seek(hash, t.start(hash)); found != nil; found, at = t.seek(hash, at.after()) {
		if found != n {
			continue
		}
		t[at.bucket].nodes[at.slot].Store(nil)
		t[at.bucket].heads[at.slot].Store(nil)
		h.live--
		if size := perBucket * len(t); size > 64 && h.live < size/8 {
			h.resize(2 * h.live)
		}
		return true
	}
	return false
}

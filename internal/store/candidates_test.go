package store

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// The structures that were weighed against the one in this package. They keep
// objects by key and show views; that is enough to tell them apart. See
// docs/adr/0002-store-structure.md.

// candidate is what is measured of each.
type candidate interface {
	get(delta.Key) (object, bool)
	list() []object
	write(keys []delta.Key, objs []object) // one batch, seen whole
	view() (release func())
}

// lockedMap is a Go map under a lock. While a view is held, what is replaced goes
// to the newest view's undo log, so a view costs its differences. Batches are
// looked up first and applied with the lock held.
type lockedMap struct {
	mu    sync.RWMutex
	cells map[delta.Key]*object
	views int
	undo  map[*object]object // of the newest view; older ones would chain to it
}

func newLockedMap() *lockedMap { return &lockedMap{cells: map[delta.Key]*object{}} }

func (m *lockedMap) get(key delta.Key) (object, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if cell := m.cells[key]; cell != nil {
		return *cell, true
	}
	return nil, false
}

func (m *lockedMap) list() []object {
	m.mu.RLock()
	defer m.mu.RUnlock()
	objs := make([]object, 0, len(m.cells))
	for _, cell := range m.cells {
		objs = append(objs, *cell)
	}
	return objs
}

func (m *lockedMap) write(keys []delta.Key, objs []object) {
	found := make([]*object, len(keys))
	for i, key := range keys { // the one writer may read without the lock
		found[i] = m.cells[key]
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, cell := range found {
		if cell == nil {
			m.cells[keys[i]] = &objs[i]
			continue
		}
		if m.views > 0 {
			m.undo[cell] = *cell
		}
		*cell = objs[i]
	}
}

func (m *lockedMap) view() func() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.views++
	m.undo = map[*object]object{}
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.views--
	}
}

// trie is a persistent hash trie: a write copies the path to the root, unless the
// node was made since the last view, which is when it may still be changed. The
// root is exchanged by one store, so readers need no lock; and because they may
// stand in any published node, every published node must be copied.
type trie struct {
	shared atomic.Pointer[trieNode]
	seed   *Store[object] // hashes
	edit   uint64
}

type trieNode struct {
	edit uint64
	full uint32 // which of the 32 children are there
	kids []any  // *trieNode or *trieLeaf
}

type trieLeaf struct {
	key  delta.Key
	obj  object
	next *trieLeaf // the same hash
}

func newTrie() *trie {
	t := &trie{seed: New(objectTraits, nil)}
	t.shared.Store(&trieNode{})
	return t
}

func (n *trieNode) child(hash uint32, shift int) (bit uint32, at int) {
	bit = 1 << (hash >> shift & 31)
	return bit, bits.OnesCount32(n.full & (bit - 1))
}

func (t *trie) get(key delta.Key) (object, bool) {
	hash := t.seed.hash(key)
	n := t.shared.Load()
	for shift := 0; ; shift += 5 {
		bit, at := n.child(hash, shift)
		if n.full&bit == 0 {
			return nil, false
		}
		switch kid := n.kids[at].(type) {
		case *trieNode:
			n = kid
		case *trieLeaf:
			for ; kid != nil; kid = kid.next {
				if kid.key == key {
					return kid.obj, true
				}
			}
			return nil, false
		}
	}
}

func (t *trie) list() []object { return t.shared.Load().all(nil) }

func (n *trieNode) all(objs []object) []object {
	for _, kid := range n.kids {
		switch kid := kid.(type) {
		case *trieNode:
			objs = kid.all(objs)
		case *trieLeaf:
			for ; kid != nil; kid = kid.next {
				objs = append(objs, kid.obj)
			}
		}
	}
	return objs
}

func (t *trie) write(keys []delta.Key, objs []object) {
	t.edit++
	root := t.shared.Load()
	for i, key := range keys {
		root = t.put(root, &trieLeaf{key: key, obj: objs[i]}, t.seed.hash(key), 0)
	}
	t.shared.Store(root)
}

// own returns n if this batch made it, otherwise a copy.
func (t *trie) own(n *trieNode) *trieNode {
	if n.edit == t.edit {
		return n
	}
	return &trieNode{edit: t.edit, full: n.full, kids: append([]any(nil), n.kids...)}
}

func (t *trie) put(n *trieNode, leaf *trieLeaf, hash uint32, shift int) *trieNode {
	n = t.own(n)
	bit, at := n.child(hash, shift)
	if n.full&bit == 0 {
		n.full |= bit
		n.kids = append(n.kids, nil)
		copy(n.kids[at+1:], n.kids[at:])
		n.kids[at] = leaf
		return n
	}
	switch kid := n.kids[at].(type) {
	case *trieNode:
		n.kids[at] = t.put(kid, leaf, hash, shift+5)
	case *trieLeaf:
		other := t.seed.hash(kid.key)
		switch {
		case kid.key == leaf.key:
			leaf.next = kid.next
			n.kids[at] = leaf
		case other == hash:
			leaf.next = kid
			n.kids[at] = leaf
		default:
			deeper := t.put(&trieNode{edit: t.edit}, kid, other, shift+5)
			n.kids[at] = t.put(deeper, leaf, hash, shift+5)
		}
	}
	return n
}

func (t *trie) view() func() {
	root := t.shared.Load()
	return func() { _ = root }
}

// shipped is the store itself.
type shipped struct{ s *Store[object] }

func (s shipped) get(key delta.Key) (object, bool) { return s.s.Get(key) }
func (s shipped) list() []object                   { return s.s.List() }
func (s shipped) view() func()                     { return s.s.View().Release }

func (s shipped) write(keys []delta.Key, objs []object) {
	txn := s.s.Begin(len(keys))
	for i, key := range keys {
		txn.Put(key, objs[i])
	}
	txn.Commit("")
}

func BenchmarkCandidates(b *testing.B) {
	f := &fixture{now: pods(b, 0)}
	for _, o := range f.now {
		f.keys = append(f.keys, delta.Key{Namespace: o.GetNamespace(), Name: o.GetName()})
	}
	next := pods(b, 1)
	order := newOrder(len(f.keys))
	for name, c := range map[string]candidate{
		"map-under-lock": newLockedMap(), "persistent-trie": newTrie(), "versions": shipped{New(objectTraits, nil)},
	} {
		c.write(f.keys, f.now)
		b.Run("get/"+name, func(b *testing.B) {
			start := processCPU()
			for i := range b.N {
				c.get(f.keys[order[i%len(order)]])
			}
			b.ReportMetric(float64(processCPU()-start)/float64(b.N), "cpu-ns/op")
		})
		b.Run("list/"+name, func(b *testing.B) {
			start := processCPU()
			for range b.N {
				c.list()
			}
			b.ReportMetric(float64(processCPU()-start)/float64(b.N), "cpu-ns/op")
		})
		update := func(b *testing.B, each func()) {
			b.ReportAllocs()
			start := processCPU()
			for i := range b.N {
				n := order[i%len(order)]
				c.write(f.keys[n:n+1], next[n:n+1])
				each()
			}
			b.ReportMetric(float64(processCPU()-start)/float64(b.N), "cpu-ns/op")
		}
		b.Run("update/"+name, func(b *testing.B) { update(b, func() {}) })
		b.Run("update-view/"+name, func(b *testing.B) {
			defer c.view()()
			release := c.view()
			update(b, func() { release(); release = c.view() })
			release()
		})
		b.Run("batch-all/"+name, func(b *testing.B) {
			start := processCPU()
			for range b.N {
				c.write(f.keys, next)
			}
			b.ReportMetric(float64(processCPU()-start)/float64(b.N*len(f.keys)), "cpu-ns/object")
		})
	}
}

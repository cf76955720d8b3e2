package store

import (
	"iter"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// View is the store as one commit left it. It can be read by any number of
// goroutines, for as long as wanted, while the writer goes on; meanwhile the
// objects that it shows and the store no longer has are kept.
type View[T any] struct {
	s        *Store[T]
	pin      *pin[T]
	released atomic.Bool
	cleanup  runtime.Cleanup
}

// View returns a view of the newest commit. Release it when done: until then it
// keeps alive what has since been replaced. A view that is dropped without being
// released is released when the garbage collector finds it.
func (s *Store[T]) View() *View[T] {
	v := &View[T]{s: s, pin: s.pin()}
	v.cleanup = runtime.AddCleanup(v, s.unpin, v.pin)
	return v
}

// Release ends the view, which must not be read afterwards. It may be called more
// than once. It does not wait, but if the store is at rest the caller does the
// work of throwing away what only this view kept.
func (v *View[T]) Release() {
	if v.released.CompareAndSwap(false, true) {
		v.cleanup.Stop()
		v.s.unpin(v.pin)
	}
}

// seq is what the view sees by. Its caller keeps the view alive until it is
// done, or else the collector may release the view on the way.
func (v *View[T]) seq() uint64 {
	lock.Invariant(!v.released.Load(), "store: use of a view after its Release")
	return v.pin.at.seq
}

// Get returns the object of a key.
func (v *View[T]) Get(key delta.Key) (obj T, ok bool) {
	defer runtime.KeepAlive(v)
	seq := v.seq()
	head, _ := v.s.find(v.s.hash(key), key)
	if at := head.at(seq); at != nil {
		return at.obj, true
	}
	return obj, false
}

// Len returns the number of objects.
func (v *View[T]) Len() int { return v.pin.at.count }

// Version returns the resource version of the commit.
func (v *View[T]) Version() string { return v.pin.at.version }

// List returns all objects, in no order.
func (v *View[T]) List() []T {
	defer runtime.KeepAlive(v)
	g := gathering[T]{seq: v.seq(), objs: make([]T, 0, v.Len())}
	t := *v.s.entries.slots.Load()
	for i := range t {
		b := &t[i]
		for j := range b.heads {
			if head := b.heads[j].Load(); head != nil {
				g.add(head)
			}
		}
	}
	return g.done()
}

// gathering collects the objects of entries. It goes in strides, first for where
// the objects are and then for the objects: either is a cache miss for each entry,
// and misses that do not wait for one another overlap.
type gathering[T any] struct {
	seq   uint64
	objs  []T
	heads [64]*version[T]
	n     int
}

func (g *gathering[T]) add(head *version[T]) {
	g.heads[g.n] = head
	if g.n++; g.n == len(g.heads) {
		g.resolve()
	}
}

func (g *gathering[T]) resolve() {
	objs := g.objs
	for _, v := range g.heads[:g.n] {
		if v == nil || v.seq() > g.seq || v.gone() {
			if v = v.at(g.seq); v == nil {
				continue
			}
		}
		objs = append(objs, v.obj)
	}
	g.objs, g.n = objs, 0
}

func (g *gathering[T]) done() []T {
	g.resolve()
	return g.objs
}

// gather returns the objects of all entries in p, whether they belong there or not.
func (p *posting[T]) gather(seq uint64) []T {
	g := gathering[T]{seq: seq, objs: make([]T, 0, p.live.Load())}
	var found [len(g.heads)]*entry[T]
	for stride := range slices.Chunk(p.entries(), len(found)) {
		n := 0
		for i := range stride {
			// Which slots are free is not to be foreseen, so this must not be a branch.
			found[n%len(found)] = stride[i].Load()
			if found[n%len(found)] != nil {
				n++
			}
		}
		for _, e := range found[:n] {
			g.add(e.head.Load()) // the vacant entry has no version
		}
	}
	return g.done()
}

// All returns all objects, in no order.
func (v *View[T]) All() iter.Seq2[delta.Key, T] {
	return func(yield func(delta.Key, T) bool) {
		for at := range v.versions("") {
			if !yield(at.key(), at.obj) {
				return
			}
		}
	}
}

// Keys returns the keys of the objects of a namespace, or of all if it is empty, in no order. An
// object may have lost its own to a transform.
func (v *View[T]) Keys(namespace string) iter.Seq[delta.Key] {
	return func(yield func(delta.Key) bool) {
		for at := range v.versions(namespace) {
			if !yield(at.key()) {
				return
			}
		}
	}
}

// versions returns what the view shows of a namespace, or of all if it is empty, in no order.
func (v *View[T]) versions(namespace string) iter.Seq[*version[T]] {
	return func(yield func(*version[T]) bool) {
		defer runtime.KeepAlive(v)
		seq := v.seq()
		if namespace == "" {
			for _, head := range v.s.entries.slots.Load().all() {
				if at := head.at(seq); at != nil && !yield(at) {
					return
				}
			}
			return
		}
		if p := v.s.namespaces.find(namespace); p != nil {
			for e := range p.all() {
				if at := e.at(seq); at != nil && !yield(at) {
					return
				}
			}
		}
	}
}

// filed returns the versions in postings of one index.
func (v *View[T]) filed(postings ...*posting[T]) iter.Seq[*version[T]] {
	return func(yield func(*version[T]) bool) {
		defer runtime.KeepAlive(v)
		seq := v.seq()
		for _, p := range postings {
			for e := range p.all() {
				if at := e.at(seq); at != nil && at.in.Load().has(p) && !yield(at) {
					return
				}
			}
		}
	}
}

// ByIndex returns the objects filed under a value of a named index, in no order.
func (v *View[T]) ByIndex(name, value string) ([]T, error) {
	p, err := v.s.postingNamed(name, value)
	if p == nil {
		return nil, err
	}
	defer runtime.KeepAlive(v)
	if seq := v.seq(); p.exactAt(seq) {
		if objs := p.gather(seq); p.exactAt(seq) {
			return objs, nil
		}
	}
	objs := make([]T, 0, p.live.Load())
	for at := range v.filed(p) {
		objs = append(objs, at.obj)
	}
	return objs, nil
}

// IndexKeys returns the keys of the objects that [View.ByIndex] returns.
func (v *View[T]) IndexKeys(name, value string) ([]delta.Key, error) {
	p, err := v.s.postingNamed(name, value)
	if p == nil {
		return nil, err
	}
	keys := make([]delta.Key, 0, p.live.Load())
	for at := range v.filed(p) {
		keys = append(keys, at.key())
	}
	return keys, nil
}

// IndexValues returns the values of a named index under which an object is filed,
// in no order.
func (v *View[T]) IndexValues(name string) ([]string, error) {
	x, err := v.s.indexNamed(name)
	if err != nil {
		return nil, err
	}
	var values []string
	for p := range x.all() {
		for range v.filed(p) {
			values = append(values, p.value)
			break
		}
	}
	return values, nil
}

package store

import (
	"slices"
	"sync/atomic"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// entry is the place of one key. It stays the same while the object in it
// changes, so that an index can point to it.
type entry[T any] struct {
	head atomic.Pointer[version[T]] // newest first, the transaction's own included
	hash uint32
}

// version is one state of an object, or of its absence. Older versions hang on it
// only as long as somebody may have to see them. The key stands in each, so that
// a read by key does not need the entry.
type version[T any] struct {
	key  delta.Key
	obj  T
	seq  uint64 // of the transaction that wrote it
	mark uint32 // hash of the object's resource version, 0 if it has none
	gone bool   // the object was removed; obj is zero
	prev atomic.Pointer[version[T]]
	in   atomic.Pointer[filing[T]] // nil where no index holds it
}

// key is the same in all versions.
func (e *entry[T]) key() delta.Key { return e.head.Load().key }

// filing lists the postings that a version is in. It never changes; versions that
// are filed alike share it.
type filing[T any] struct {
	postings []*posting[T]
}

// filingOf returns a filing with room for n postings. The usual few stand right
// behind the slice that points to them: one allocation, one cache miss.
func filingOf[T any](n int) *filing[T] {
	switch {
	case n <= 1:
		f := &struct {
			filing[T]
			few [1]*posting[T]
		}{}
		f.postings = f.few[:0]
		return &f.filing
	case n <= 3:
		f := &struct {
			filing[T]
			few [3]*posting[T]
		}{}
		f.postings = f.few[:0]
		return &f.filing
	case n <= 5:
		f := &struct {
			filing[T]
			few [5]*posting[T]
		}{}
		f.postings = f.few[:0]
		return &f.filing
	default:
		return &filing[T]{postings: make([]*posting[T], 0, n)}
	}
}

func (f *filing[T]) has(p *posting[T]) bool {
	return f != nil && slices.Contains(f.postings, p)
}

// at is the version that a reader of seq sees, nil where there was no object. It
// is right only while that seq is pinned.
func (e *entry[T]) at(seq uint64) *version[T] {
	return e.head.Load().at(seq)
}

// at is [entry.at], from an entry's head.
func (v *version[T]) at(seq uint64) *version[T] {
	for v != nil && v.seq > seq {
		v = v.prev.Load()
	}
	if v == nil || v.gone {
		return nil
	}
	return v
}

// filedIn reports whether any version that somebody may still see is in p.
func (e *entry[T]) filedIn(p *posting[T]) bool {
	for v := e.head.Load(); v != nil; v = v.prev.Load() {
		if v.in.Load().has(p) {
			return true
		}
	}
	return false
}

// cut takes a superseded version out of the chain. Readers that stand on it go on
// to the same older ones as before.
func (e *entry[T]) cut(old *version[T]) {
	newer := e.head.Load()
	for newer.prev.Load() != old {
		newer = newer.prev.Load()
	}
	newer.prev.Store(old.prev.Load())
}

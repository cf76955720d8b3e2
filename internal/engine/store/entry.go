package store

import (
	"slices"
	"sync/atomic"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// entry is the place of one key. It stays the same while the object in it
// changes, so that an index can point to it.
type entry[T any] struct {
	head atomic.Pointer[version[T]] // newest first, the transaction's own included. Invariant: the head in the table's slot is the same.
	hash uint32
}

// version is one state of an object, or of its absence. Older versions hang on it
// only as long as somebody may have to see them. The key stands in each, so that
// a read by key does not need the entry. With an interface for T it is just one
// cache line.
type version[T any] struct {
	name  string
	space *string // the namespace, the same for all that are in it
	obj   T
	stamp uint64                     // see seq and gone
	prev  atomic.Pointer[version[T]] // Invariant: of an earlier seq.
	in    atomic.Pointer[filing[T]]  // nil where no index holds it
}

// newVersion returns what transaction seq makes of a name. It has no namespace yet.
func newVersion[T any](name string, obj T, seq uint64) *version[T] {
	return &version[T]{name: name, obj: obj, stamp: seq << 1}
}

// newAbsence returns a version that says that the object of before was removed.
func newAbsence[T any](before *version[T], seq uint64) *version[T] {
	return &version[T]{name: before.name, space: before.space, stamp: seq<<1 | 1}
}

// seq is the transaction that wrote the version.
func (v *version[T]) seq() uint64 { return v.stamp >> 1 }

// gone says that the object was removed; obj is zero.
func (v *version[T]) gone() bool { return v.stamp&1 != 0 }

func (v *version[T]) key() delta.Key { return delta.Key{Namespace: *v.space, Name: v.name} }

// key is the same in all versions.
func (e *entry[T]) key() delta.Key { return e.head.Load().key() }

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
	for v != nil && v.seq() > seq {
		v = v.prev.Load()
	}
	if v == nil || v.gone() {
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

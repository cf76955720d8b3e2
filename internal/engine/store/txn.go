package store

import (
	"cmp"
	"errors"
	"iter"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// maxIndexErrors is how many errors of index functions a transaction keeps.
const maxIndexErrors = 8

// Txn is a batch of writes that readers see whole, when it is committed, or not
// at all. It can't be used after Commit.
type Txn[T any] struct {
	s       *Store[T]
	seq     uint64
	count   int
	open    bool
	written []superseded[T] // what Commit has to clear up
	wanted  []want[T]       // scratch of file
	had     []want[T]       // scratch of recall: as what the version before is filed
	errs    []error
}

// want is a value under which an object is to be filed.
type want[T any] struct {
	in    *index[T]
	value string
}

// Begin starts a transaction that is expected to write about size objects. There
// is one transaction at a time: a second Begin before the Commit panics.
//
// Begin may wait while a reader throws away what it held last, or makes a label index.
func (s *Store[T]) Begin(size int) *Txn[T] {
	if !s.inTxn.CompareAndSwap(false, true) {
		panic("BUG: store: Begin before the Commit of another transaction")
	}
	s.write.Lock()
	now := s.state.Load()
	t := &s.txn
	t.seq, t.count, t.open, t.errs = now.seq+1, now.count, true, nil
	if cap(t.written) < size {
		t.written = make([]superseded[T], 0, size)
	}
	if s.entries.live == 0 {
		s.entries.resize(size)
	}
	return t
}

// Write makes a transaction of one call. It commits the writes even if change panics, so that the store stays usable.
// The error says why index functions failed.
func (s *Store[T]) Write(size int, version string, change func(*Txn[T])) error {
	t := s.Begin(size)
	func() {
		defer t.Commit(version)
		change(t)
	}()
	return t.Err()
}

// Get returns the object of a key as this transaction leaves it.
func (t *Txn[T]) Get(key delta.Key) (obj T, ok bool) {
	t.mustBeOpen()
	if v, _ := t.s.find(t.s.hash(key), key); v != nil && !v.gone() {
		return v.obj, true
	}
	return obj, false
}

// Put stores obj under key and returns what was there before. It always asks the index functions:
// an object may have changed without a new version.
//
// If an index function returns an error, the object is stored and found in every
// other way, and is filed under no value of that index; see [Txn.Err]. If one
// panics, so does Put, before it has changed anything: the transaction can go on
// or be committed.
func (t *Txn[T]) Put(key delta.Key, obj T) (old T, existed bool) {
	old, existed, _ = t.Replace(key, obj, nil)
	return old, existed
}

// Replace is [Txn.Put], unless there is an object and keep, which is asked about it,
// wants it to stay. Then nothing is written, and kept is true. It looks the key up once.
func (t *Txn[T]) Replace(key delta.Key, obj T, keep func(old T) bool) (old T, existed, kept bool) {
	t.mustBeOpen()
	hash := t.s.hash(key)
	before, at := t.s.find(hash, key)
	if keep != nil && before != nil && !before.gone() && keep(before.obj) {
		return before.obj, true, true
	}
	t.had = t.had[:0]
	if before != nil {
		t.recall(before, at)
	}
	v := newVersion(key.Name, obj, t.seq)
	if filed := t.file(key, before, v); filed != nil { // calls out, so it comes first
		v.in.Store(filed)
	}
	if before == nil {
		t.insert(hash, key.Namespace, v)
	} else {
		t.supersede(at, before, v)
	}
	if before != nil && !before.gone() {
		return before.obj, true, false
	}
	t.count++
	return old, false, false
}

// recall reads early what superseding a version will ask of its entry and of its
// filing. Each of them is a cache miss, and misses that wait neither for one
// another nor for what is allocated and looked up in between overlap.
func (t *Txn[T]) recall(before *version[T], at place) {
	if lock.Invariants {
		e := (*t.s.entries.slots.Load())[at.bucket].nodes[at.slot].Load()
		lock.Invariant(e.head.Load() == before, "store: the table and the entry of %s have different versions", before.key())
	}
	if was := before.in.Load(); was != nil {
		for _, p := range was.postings {
			t.had = append(t.had, want[T]{p.of, p.value})
		}
	}
}

// Remove takes out the object of a key and returns it.
func (t *Txn[T]) Remove(key delta.Key) (old T, existed bool) {
	t.mustBeOpen()
	before, at := t.s.find(t.s.hash(key), key)
	if before == nil {
		return old, false
	}
	if before.gone() {
		return old, false
	}
	t.supersede(at, before, newAbsence(before, t.seq))
	t.count--
	return before.obj, true
}

// insert makes the entry whose first version is v, in the namespace space.
func (t *Txn[T]) insert(hash uint32, space string, v *version[T]) {
	namespace := t.s.namespaces.open(space)
	v.space = &namespace.value
	e := &entry[T]{hash: hash}
	e.head.Store(v)
	t.refile(e, nil, v.in.Load())
	t.s.entries.add(hash, e, v)
	namespace.add(e)
}

// supersede makes v the newest version. A version that this same transaction
// wrote was never seen by anybody and goes at once.
func (t *Txn[T]) supersede(at place, before, v *version[T]) {
	slot := &(*t.s.entries.slots.Load())[at.bucket]
	e := slot.nodes[at.slot].Load()
	v.space = before.space
	if before.seq() != t.seq {
		v.prev.Store(before)
		e.head.Store(v)
		slot.heads[at.slot].Store(v)
		t.refile(e, before.in.Load(), v.in.Load())
		t.written = append(t.written, superseded[T]{entry: e, old: before})
		return
	}
	v.prev.Store(before.prev.Load())
	e.head.Store(v)
	slot.heads[at.slot].Store(v)
	t.refile(e, before.in.Load(), v.in.Load())
	t.s.unfileLocked(e, before.in.Load())
	if v.gone() {
		t.written = append(t.written, superseded[T]{entry: e})
	}
}

// refile moves e from the postings of the version before to those of the new one.
func (t *Txn[T]) refile(e *entry[T], from, to *filing[T]) {
	if from == to {
		return
	}
	if to != nil {
		for _, p := range to.postings {
			if !from.has(p) {
				p.enter(e, t.seq)
			}
		}
	}
	if from != nil {
		for _, p := range from.postings {
			if !to.has(p) {
				p.leave(t.seq)
			}
		}
	}
}

// Untouched returns the objects that this transaction has not written so far, in
// no order: after everything in a list was put, those that the list lacks. They
// can be removed on the way.
func (t *Txn[T]) Untouched() iter.Seq2[delta.Key, T] {
	return func(yield func(delta.Key, T) bool) {
		for _, v := range t.s.entries.slots.Load().all() {
			if v.seq() != t.seq && !v.gone() && !yield(v.key(), v.obj) {
				return
			}
		}
	}
}

// Err returns what index functions complained of in this transaction: up to eight
// errors, joined. It may be called after Commit, until the next Begin.
func (t *Txn[T]) Err() error { return errors.Join(t.errs...) }

// Commit makes everything that was written visible to readers at once. The
// store's resource version becomes version, or stays if that is empty.
func (t *Txn[T]) Commit(version string) {
	t.mustBeOpen()
	t.open = false
	s := t.s
	s.state.Store(&state{
		seq:     t.seq,
		version: cmp.Or(version, s.state.Load().version),
		count:   t.count,
	})
	s.keepLocked(s.dropPinsLocked(), t.written)
	if s.untidy.Load() {
		s.tidyLocked()
	}
	if lock.Invariants {
		t.check()
	}
	const reuse = 1024 // a relist's list is not kept for the next event
	clear(t.written)   // it would keep old objects alive
	if t.written = t.written[:0]; cap(t.written) > reuse {
		t.written = nil
	}
	s.inTxn.Store(false)
	s.write.Unlock()
	s.tidy()
}

func (t *Txn[T]) mustBeOpen() {
	if !t.open {
		panic("BUG: store: use of a transaction after its Commit")
	}
}

// check looks at what the transaction wrote: every entry is found by its key and
// is in all the postings that its newest version lists.
func (t *Txn[T]) check() {
	for _, w := range t.written {
		e := w.entry
		newest := e.head.Load()
		if newest.gone() {
			continue
		}
		found, _ := t.s.find(e.hash, newest.key())
		lock.Invariant(found == newest, "store: %s is not found by its key", e.key())
		if f := newest.in.Load(); f != nil {
			for _, p := range f.postings {
				lock.Invariant(p.holds(e), "store: %s is missing in %q=%q", e.key(), p.of.name, p.value)
			}
		}
	}
}

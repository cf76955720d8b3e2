package store

import (
	"fmt"
	"slices"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// file decides in which postings v, the new version of key, belongs, given the
// version before it. It changes nothing that a reader can see.
func (t *Txn[T]) file(key delta.Key, before, v *version[T]) *filing[T] {
	indexes := t.s.catalog.Load().all
	if len(indexes) == 0 {
		return nil
	}
	wanted, errs := t.s.wants(t.wanted[:0], indexes, key, v.obj)
	t.wanted = wanted
	t.errs = append(t.errs, errs[:min(len(errs), maxIndexErrors-len(t.errs))]...)
	var was *filing[T]
	if before != nil {
		was = before.in.Load()
	}
	// Index functions return their values in the same order as a rule; if not, the worst is a new filing.
	if slices.Equal(t.had, wanted) {
		return was
	}
	return newFiling(was, wanted)
}

// wants appends the values of obj in the indexes. The errors don't hold the object.
func (s *Store[T]) wants(to []want[T], indexes []*index[T], key delta.Key, obj T) (_ []want[T], errs []error) {
	var labels map[string]string
	var read bool
	for _, x := range indexes {
		if x.values == nil {
			if !read {
				labels, read = s.traits.Labels(obj), true
			}
			if value, ok := labels[x.name]; ok {
				to = append(to, want[T]{x, value})
			}
			continue
		}
		values, err := x.values(obj)
		if err != nil {
			errs = append(errs, fmt.Errorf("index %s by %q: %w", key, x.name, err))
			continue
		}
		first := len(to)
		for _, value := range values {
			if w := (want[T]{x, value}); !slices.Contains(to[first:], w) {
				to = append(to, w)
			}
		}
	}
	return to, errs
}

func newFiling[T any](was *filing[T], wanted []want[T]) *filing[T] {
	if len(wanted) == 0 {
		return nil
	}
	f := filingOf[T](len(wanted))
	for _, w := range wanted {
		p := was.posting(w) // saves looking it up
		if p == nil {
			p = w.in.open(w.value)
		}
		f.postings = append(f.postings, p)
	}
	return f
}

// posting returns the posting of a wanted value that is listed here, or nil.
func (f *filing[T]) posting(w want[T]) *posting[T] {
	if f != nil {
		for _, p := range f.postings {
			if p.of == w.in && p.value == w.value {
				return p
			}
		}
	}
	return nil
}

// AddIndexers adds named indexes over everything that is in the store. Readers
// see all of them complete, or none. It belongs to the writer and must not be
// called within a transaction. If a name is taken, or an index function returns
// an error for an object that is there, nothing is added.
func (s *Store[T]) AddIndexers(indexers Indexers[T]) error {
	if !s.inTxn.CompareAndSwap(false, true) {
		panic("BUG: store: AddIndexers within a transaction")
	}
	s.write.Lock()
	defer func() {
		s.inTxn.Store(false)
		s.write.Unlock()
		s.tidy()
	}()
	named := s.catalog.Load().named
	added := make([]*index[T], 0, len(indexers))
	taken := map[string]struct{}{}
	for name, values := range indexers {
		if named[name] != nil {
			taken[name] = struct{}{}
		}
		added = append(added, newIndex(name, values, s.seed))
	}
	if len(taken) > 0 {
		return &namesError{fmt.Sprintf("indexer conflict: %v", taken), ErrIndexExists}
	}
	return s.buildLocked(added)
}

// buildLocked fills the indexes and publishes them. Older versions that somebody
// still sees are filed too, so that a view finds by the new index what it holds.
func (s *Store[T]) buildLocked(added []*index[T]) error {
	type refiled struct {
		v *version[T]
		f *filing[T]
	}
	var all []refiled
	var wanted []want[T]
	for e := range s.entries.slots.Load().all() {
		for v := e.head.Load(); v != nil; v = v.prev.Load() {
			if v.gone() {
				continue
			}
			var errs []error
			wanted, errs = s.wants(wanted[:0], added, v.key(), v.obj)
			if len(errs) > 0 {
				return fmt.Errorf("add index: %w", errs[0])
			}
			if len(wanted) > 0 {
				all = append(all, refiled{v, s.fileUnderLocked(e, v, wanted)})
			}
		}
	}
	for _, r := range all {
		r.v.in.Store(r.f)
	}
	s.catalog.Store(s.catalog.Load().with(added))
	return nil
}

// fileUnderLocked puts e into the postings of more values of v, one of its versions. It returns what v's filing
// becomes, and its caller stores that.
func (s *Store[T]) fileUnderLocked(e *entry[T], v *version[T], more []want[T]) *filing[T] {
	var was []*posting[T]
	if filed := v.in.Load(); filed != nil {
		was = filed.postings
	}
	now := s.state.Load().seq
	f := filingOf[T](len(was) + len(more))
	f.postings = append(f.postings, was...)
	for _, w := range more {
		p := w.in.open(w.value)
		p.changed.Store(max(p.changed.Load(), now)) // of what was before, nothing is known here
		if p.add(e) {
			p.stale.Add(1)
		}
		if v == e.head.Load() {
			p.stale.Add(-1)
		}
		f.postings = append(f.postings, p)
	}
	return f
}

package store

import "github.com/delta-runtime/delta-runtime/internal/base/lock"

// maxLabelIndexes bounds how many label keys are indexed. Selectors on further
// keys are answered by looking at every object.
const maxLabelIndexes = 64

// growStride is how many buckets of entries are filed in a growing index at a
// time, while the writer may have to wait: a few milliseconds' work.
const growStride = 256

// growth is the making of label indexes, bit by bit, so that the writer need not
// wait for the whole. Transactions file in them from the beginning; readers are
// shown them at the end. All of it is guarded by Store.write.
type growth[T any] struct {
	added []*index[T]
	// rest are the entries that have not been visited, of the table as it was at
	// the beginning. Those that came later are filed by who brought them.
	rest buckets[entry[T], version[T]]
}

// wishes are label keys that readers would like to have indexed.
type wishes struct {
	mu   lock.Mutex[lock.Wishes]
	keys map[string]struct{}
}

// wish asks for an index of a label key. It is there when wish returns if the
// store was at rest. Otherwise the writer gets on with it at each commit, and so
// does the next wish.
func (s *Store[T]) wish(key string) {
	if len(s.catalog.Load().labels) >= maxLabelIndexes {
		return
	}
	s.wishes.mu.Lock()
	if s.wishes.keys == nil {
		s.wishes.keys = map[string]struct{}{}
	}
	if len(s.wishes.keys) < maxLabelIndexes {
		s.wishes.keys[key] = struct{}{}
	}
	s.wishes.mu.Unlock()
	s.untidy.Store(true)
	s.tidy()
	// Each turn lets the writer in, who announces himself before he waits.
	for s.growing.Load() && !s.inTxn.Load() && s.write.TryLock() {
		if s.growth != nil {
			s.growLocked()
		}
		s.write.Unlock()
		s.tidy()
	}
}

// grantWishesLocked begins what was wished for, unless something is growing: then
// it is begun after that.
func (s *Store[T]) grantWishesLocked() {
	if s.growth != nil {
		return
	}
	s.wishes.mu.Lock()
	keys := s.wishes.keys
	s.wishes.keys = nil
	s.wishes.mu.Unlock()

	have := s.catalog.Load().labels
	var added []*index[T]
	for key := range keys {
		if have[key] == nil && len(have)+len(added) < maxLabelIndexes {
			added = append(added, newIndex[T](key, nil, s.seed))
		}
	}
	if len(added) == 0 {
		return
	}
	s.catalog.Store(s.catalog.Load().writing(added))
	s.growth = &growth[T]{added: added, rest: *s.entries.slots.Load()}
	s.growing.Store(true)
}

// growLocked visits some more entries, and shows the indexes when none is left.
func (s *Store[T]) growLocked() {
	g := s.growth
	stride := g.rest[:min(s.stride, len(g.rest))]
	g.rest = g.rest[len(stride):]
	for e := range stride.all() {
		s.adoptLocked(e)
	}
	if len(g.rest) > 0 {
		return
	}
	s.catalog.Store(s.catalog.Load().showing(g.added))
	s.growth = nil
	s.growing.Store(false)
	s.grantWishesLocked()
}

// adoptLocked files all versions of e in what grows, as far as they are not.
func (s *Store[T]) adoptLocked(e *entry[T]) {
	var room [4]want[T]
	for v := e.head.Load(); v != nil; v = v.prev.Load() {
		if v.gone() {
			continue
		}
		wanted, _ := s.wants(room[:0], s.growth.added, v.key(), v.obj) // labels do not cause errors
		if len(wanted) > 0 && v.in.Load().posting(wanted[0]) == nil {
			v.in.Store(s.fileUnderLocked(e, v, wanted))
		}
	}
}

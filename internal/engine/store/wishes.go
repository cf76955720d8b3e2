package store

import "github.com/delta-runtime/delta-runtime/internal/base/lock"

// maxLabelIndexes bounds how many label keys are indexed. Selectors on further
// keys are answered by looking at every object.
const maxLabelIndexes = 64

// wishes are label keys that readers would like to have indexed.
type wishes struct {
	mu   lock.Mutex[lock.Wishes]
	keys map[string]struct{}
}

// wish asks for an index of a label key. It is there when wish returns if the
// store was at rest. Otherwise the writer makes it at its next commit.
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
}

// grantWishesLocked makes the indexes that were wished for.
func (s *Store[T]) grantWishesLocked() {
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
	if len(added) > 0 {
		_ = s.buildLocked(added) // labels do not cause errors
	}
}

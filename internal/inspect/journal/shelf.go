package journal

import (
	"cmp"
	"slices"
	"sort"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
)

// shelf has the entries of one kind or controller.
type shelf[E any] struct {
	journal *Journal
	name    string
	number  func(*E) uint64
	load    func(*E) load

	mu   lock.Mutex[lock.JournalShelf] // guards everything below
	rows [classes]row[E]
}

// row has the entries of one class, in the order of their numbers.
type row[E any] struct {
	entries  ring[E]
	fresh    int    // how many of the entries, the newest, are not measured. Invariant: at most entries.count.
	dropped  uint64 // how many are gone
	lastGone uint64 // the number of the last that was dropped
}

// put makes the shelf one of the journal's, with room for so many changes.
func (s *shelf[E]) put(in *Journal, name string, most int) {
	s.journal, s.name = in, name
	s.rows[changed].entries.most, s.rows[shown].entries.most = most, max(1, most/shownPart)
}

// addLocked returns the place of a new entry, and how many more there are that are not measured.
func (s *shelf[E]) addLocked(of class) (place *E, more int64) {
	r := &s.rows[of]
	place, full := r.entries.add()
	if full {
		s.dropLocked(r, place)
	}
	if r.fresh < r.entries.count {
		r.fresh++
		more = 1
	}
	return place, more
}

// dropLocked counts an entry that is about to go.
func (s *shelf[E]) dropLocked(from *row[E], e *E) {
	from.dropped++
	from.lastGone = s.number(e)
}

// firstAfter is where in a row the entries begin that come after a number.
func (s *shelf[E]) firstAfter(id uint64, in *row[E]) int {
	return sort.Search(in.entries.count, func(i int) bool { return s.number(in.entries.at(i)) > id })
}

// dropTo is the [book]'s.
func (s *shelf[E]) dropTo(of class, id uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &s.rows[of]
	for r.entries.count > 0 && s.number(r.entries.at(0)) <= id {
		s.dropLocked(r, r.entries.at(0))
		r.entries.drop()
	}
	if gone := r.fresh - r.entries.count; gone > 0 {
		r.fresh -= gone
		s.journal.shares[of].fresh.Add(-int64(gone))
	}
}

// loads is the [book]'s.
func (s *shelf[E]) loads(of class, to []load) []load {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &s.rows[of]
	s.journal.shares[of].fresh.Add(-int64(r.fresh))
	r.fresh = 0
	for i := range r.entries.count {
		to = append(to, s.load(r.entries.at(i)))
	}
	return to
}

// find appends the entries after a number that are wanted, and no more than limit of each class. A limit of 0
// is none. It also says how many entries there were that are gone.
func (s *shelf[E]) find(to []E, since uint64, limit int, want func(*E) bool) (found []E, dropped uint64) {
	for of := range classes {
		all, gone := s.newestFirst(of, since)
		dropped += gone
		left := limit
		for i := range all {
			if !want(&all[i]) {
				continue
			}
			if to = append(to, all[i]); left == 1 {
				break
			}
			left--
		}
	}
	return to, dropped
}

// newestFirst copies the entries after a number, so that nobody looks at objects under the lock.
func (s *shelf[E]) newestFirst(of class, since uint64) (all []E, dropped uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &s.rows[of]
	for i := r.entries.count - 1; i >= 0 && s.number(r.entries.at(i)) > since; i-- {
		all = append(all, *r.entries.at(i))
	}
	return all, r.dropped
}

// firstOf puts entries in order, the newest first, and returns no more than limit. A limit of 0 is none.
func firstOf[E any](all []E, limit int, number func(*E) uint64) []E {
	slices.SortFunc(all, func(a, b E) int { return cmp.Compare(number(&b), number(&a)) })
	if limit > 0 && len(all) > limit {
		return all[:limit]
	}
	return all
}

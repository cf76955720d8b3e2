package journal

import (
	"sync/atomic"

	"github.com/delta-runtime/delta-runtime/internal/lock"
)

// shelf has the entries of one kind or controller.
type shelf[E any] struct {
	journal *Journal
	name    string
	number  func(*E) uint64 // reads an entry's ID
	bury    func(*E)        // is told under mu of an entry that is about to go; may be nil
	bytes   atomic.Int64    // of its entries, when they were last measured

	mu      lock.Mutex[lock.JournalShelf] // guards everything below
	entries ring[E]
	fresh   int    // how many of the entries, the newest, are not measured. Invariant: at most entries.count.
	noted   uint64 // entries that there were
	dropped uint64 // of these, how many are gone. Invariant: noted is dropped and entries.count together.
}

// put makes the shelf one of the journal's, with room for so many entries.
func (s *shelf[E]) put(in *Journal, name string, most int, number func(*E) uint64) {
	s.journal, s.name, s.number, s.entries.most = in, name, number, most
}

// addLocked returns the place of a new entry, and reports whether there is one more that is not
// measured.
func (s *shelf[E]) addLocked() (place *E, more bool) {
	s.noted++
	place, gone := s.entries.add()
	if gone {
		s.dropLocked(place)
	}
	more = s.fresh < s.entries.count
	if more {
		s.fresh++
	}
	return place, more
}

// dropLocked counts an entry that is about to go.
func (s *shelf[E]) dropLocked(e *E) {
	s.dropped++
	if s.bury != nil {
		s.bury(e)
	}
}

// freshIDs is the [book]'s.
func (s *shelf[E]) freshIDs(to []uint64) []uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := s.entries.count - s.fresh; i < s.entries.count; i++ {
		to = append(to, s.number(s.entries.at(i)))
	}
	return to
}

// dropTo is the [book]'s.
func (s *shelf[E]) dropTo(id uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.entries.count > 0 && s.number(s.entries.at(0)) <= id {
		s.dropLocked(s.entries.at(0))
		s.entries.drop()
	}
	if gone := s.fresh - s.entries.count; gone > 0 {
		s.fresh -= gone
		s.journal.fresh.Add(-int64(gone))
	}
}

// measuredLocked says that all entries are about to be measured.
func (s *shelf[E]) measuredLocked() {
	s.journal.fresh.Add(-int64(s.fresh))
	s.fresh = 0
}

func (s *shelf[E]) weighs(bytes int64) { s.bytes.Store(bytes) }

// find returns the entries, newest first, that are wanted, and no more than limit. A limit of 0 is
// none. want says when older ones are of no interest.
func (s *shelf[E]) find(limit int, want func(*E) choice) (found []E) {
	for _, e := range s.newestFirst() {
		switch want(&e) {
		case yes:
			if found = append(found, e); len(found) == limit {
				return found
			}
		case no:
		case noneAnyMore:
			return found
		}
	}
	return found
}

// choice says whether an entry is wanted.
type choice uint8

const (
	no choice = iota + 1
	yes
	noneAnyMore
)

// newestFirst copies the entries, so that nobody looks at objects under the lock.
func (s *shelf[E]) newestFirst() []E {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]E, s.entries.count)
	for i := range all {
		all[i] = *s.entries.at(len(all) - 1 - i)
	}
	return all
}

func (s *shelf[E]) status() BookStatus {
	s.mu.Lock()
	defer s.mu.Unlock()
	return BookStatus{Name: s.name, Dropped: s.dropped}
}

// ring has the last entries.
type ring[E any] struct {
	most  int
	room  []E // it grows until there is room for most, and shrinks where little is left: nobody counts it
	first int // where the oldest is
	count int
}

// add returns the place of a new entry, which has what was there before, and reports whether the
// oldest had to go for it.
func (r *ring[E]) add() (place *E, gone bool) {
	if r.count == len(r.room) && r.count < r.most {
		r.grow()
	}
	if gone = r.count == len(r.room); gone {
		r.first = r.after(r.first)
		r.count--
	}
	r.count++
	return r.at(r.count - 1), gone
}

func (r *ring[E]) grow() { r.resize(min(r.most, max(leastRoom, r.count+r.count/4))) }

// leastRoom is room that is not worth saving.
const leastRoom = 8

func (r *ring[E]) resize(to int) {
	room := make([]E, to)
	for i := range r.count {
		room[i] = *r.at(i)
	}
	r.room, r.first = room, 0
}

// at returns the entry that is i places after the oldest.
func (r *ring[E]) at(i int) *E {
	if i += r.first; i >= len(r.room) {
		i -= len(r.room)
	}
	return &r.room[i]
}

func (r *ring[E]) after(i int) int {
	if i++; i == len(r.room) {
		return 0
	}
	return i
}

// drop drops the oldest entry.
func (r *ring[E]) drop() {
	var none E
	r.room[r.first] = none
	r.first = r.after(r.first)
	r.count--
	if len(r.room) > leastRoom && r.count < len(r.room)/2 {
		r.resize(min(r.most, max(leastRoom, r.count+r.count/4)))
	}
}

// bound changes how many entries there are at most. The oldest go.
func (r *ring[E]) bound(most int) {
	for r.count > most {
		r.drop()
	}
	if r.most = most; len(r.room) > most {
		r.resize(most)
	}
}

package delta

import "hash/maphash"

// remembered is what is kept of requests between two reconciles: that, and when, the
// last one succeeded. It is bounded: of more requests than it may hold, those go that
// have not succeeded for longest.
//
// A request is known by its hash alone. Two that share one, among a million the chance
// is one in thirty million, share their last success.
type remembered[R comparable] struct {
	seed       maphash.Seed
	limit      int // of each generation
	young, old map[uint64]success
}

// success is the last one.
type success struct {
	at   int64  // nanoseconds since 1970
	gaps uint32 // of the books, when the request was taken
	owed bool   // see account
}

func newRemembered[R comparable](limit int) remembered[R] {
	return remembered[R]{seed: maphash.MakeSeed(), limit: max(1, limit/2), young: map[uint64]success{}}
}

func (m *remembered[R]) get(r R) (success, bool) {
	hash := maphash.Comparable(m.seed, r)
	if s, ok := m.young[hash]; ok {
		return s, true
	}
	s, ok := m.old[hash]
	return s, ok
}

func (m *remembered[R]) put(r R, s success) {
	hash := maphash.Comparable(m.seed, r)
	if _, ok := m.young[hash]; !ok && len(m.young) >= m.limit {
		m.young, m.old = map[uint64]success{}, m.young
	}
	m.young[hash] = s
}

func (m *remembered[R]) forget(r R) {
	hash := maphash.Comparable(m.seed, r)
	delete(m.young, hash)
	delete(m.old, hash)
}

func (m *remembered[R]) len() int { return len(m.young) + len(m.old) }

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
	at    int64  // nanoseconds since 1970
	gaps  uint32 // of the books, when the request was taken
	lists uint32 // likewise
	owed  bool   // the request may come once more with nothing to tell
	loose bool   // as in arrivals
	// landed are its arrivals that may be at a worker and in the queue. More than two are
	// two, since it can be only once at either.
	landed uint8
	done   *doneSteps // after that call
}

func newRemembered[R comparable](limit int) remembered[R] {
	return remembered[R]{seed: maphash.MakeSeed(), limit: max(1, limit/2), young: map[uint64]success{}}
}

func (m *remembered[R]) hash(r R) uint64 { return maphash.Comparable(m.seed, r) }

func (m *remembered[R]) get(r R) (success, bool) {
	hash := m.hash(r)
	if s, ok := m.young[hash]; ok {
		return s, true
	}
	s, ok := m.old[hash]
	return s, ok
}

func (m *remembered[R]) put(r R, s success) {
	hash := m.hash(r)
	if _, ok := m.young[hash]; !ok && len(m.young) >= m.limit {
		m.young, m.old = map[uint64]success{}, m.young
	}
	m.young[hash] = s
}

func (m *remembered[R]) forget(r R) {
	hash := m.hash(r)
	delete(m.young, hash)
	delete(m.old, hash)
}

func (m *remembered[R]) len() int { return len(m.young) + len(m.old) }

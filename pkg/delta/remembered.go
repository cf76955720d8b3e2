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

// success is the last one, and what may come of the request after it.
type success struct {
	at    int64  // nanoseconds since 1970; zero if the ledger knows of no success because it had to forget the request
	gaps  uint32 // of the books, when the request was taken
	lists uint32 // likewise
	owed  bool   // arrivals.later
	loose bool   // as in arrivals
	// landed are its arrivals that may be at a worker and in the queue: mostLanded at most, since it can be only once at
	// either.
	landed uint8
	done   *doneSteps // after that call
}

const mostLanded = 2

// owe keeps what may come of the request when its account is closed.
func (s *success) owe(n *arrivals) {
	s.owed, s.loose, s.landed = s.owed || n.later, s.loose || n.loose, uint8(min(n.landed, mostLanded))
}

func newRemembered[R comparable](limit int) remembered[R] {
	return remembered[R]{seed: maphash.MakeSeed(), limit: max(1, limit/2), young: map[uint64]success{}}
}

func (m *remembered[R]) hash(r R) uint64 { return maphash.Comparable(m.seed, r) }

// get returns what is kept of a request, and whether it has succeeded.
func (m *remembered[R]) get(r R) (s success, succeeded bool) {
	hash := m.hash(r)
	s, ok := m.young[hash]
	if !ok {
		s = m.old[hash]
	}
	return s, s.at != 0
}

func (m *remembered[R]) put(r R, s success) {
	hash := m.hash(r)
	if _, ok := m.young[hash]; !ok && len(m.young) >= m.limit {
		m.young, m.old = map[uint64]success{}, m.young
	}
	m.young[hash] = s
}

func (m *remembered[R]) len() int { return len(m.young) + len(m.old) }

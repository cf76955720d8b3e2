package builder

import (
	"hash/maphash"
	"time"
)

// share says which requests a guard looks at, so that it takes no more than a hundredth of one CPU.
// Looking at a call compares objects, which takes longer than some reconcilers do. A loop can't be
// seen in every second call, so share leaves out requests and not calls: those of another part
// each minute. If looking takes little, share leaves out none.
//
//	credit  ── a hundredth of the time ──▶ at most shareBurst
//	        ◀── each look takes what it took; below zero nothing is looked at, and the part is halved
//
// It has no lock.
type share[R comparable] struct {
	seed    maphash.Seed
	parts   uint64        // Invariant: a power of two. Requests are divided into so many, and one is looked at.
	credit  time.Duration // Invariant: at most shareBurst.
	last    time.Time     // when credit was last added to
	changed time.Time     // when parts last changed
}

const (
	shareOf    = 100 // the part of one CPU that looking may take is one of so many
	shareBurst = 20 * time.Millisecond
	shareTurn  = time.Minute      // how long the same part is looked at
	shareCalm  = 10 * time.Second // after so long without a debt the part is doubled
	shareRush  = 50 * time.Millisecond
	mostParts  = 1 << 12
)

func newShare[R comparable]() share[R] {
	return share[R]{seed: maphash.MakeSeed(), parts: 1, credit: shareBurst}
}

// has reports whether a request is looked at now.
func (s *share[R]) has(r R, now time.Time) bool {
	if s.last.IsZero() {
		s.last, s.changed = now, now
	}
	s.credit = min(s.credit+now.Sub(s.last)/shareOf, shareBurst)
	s.last = now
	switch since := now.Sub(s.changed); {
	case s.credit < 0 && since >= shareRush:
		s.parts, s.changed = min(2*s.parts, mostParts), now
	case s.parts > 1 && s.credit == shareBurst && since >= shareCalm:
		s.parts, s.changed = s.parts/2, now
	}
	if s.credit < 0 {
		return false
	}
	turn := uint64(now.Unix()) / uint64(shareTurn/time.Second) //nolint:gosec // after 1970
	return s.parts == 1 || (maphash.Comparable(s.seed, r)^turn)&(s.parts-1) == 0
}

// took notes how long a look has taken.
func (s *share[R]) took(d time.Duration) { s.credit -= d }

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
// It has no lock.
type share[R comparable] struct {
	seed  maphash.Seed
	parts uint64        // Invariant: a power of two. Requests are divided into so many, and one is looked at.
	began time.Time     // of the present window
	turn  uint64        // windows so far
	spent time.Duration // in the present window
}

const (
	shareWindow = 10 * time.Second
	shareSpends = shareWindow / 100
	shareTurns  = 6 // windows for which the same part is looked at
	mostParts   = 1 << 12
)

func newShare[R comparable]() share[R] { return share[R]{seed: maphash.MakeSeed(), parts: 1} }

// has reports whether a request is looked at now.
func (s *share[R]) has(r R, now time.Time) bool {
	if now.Sub(s.began) >= shareWindow {
		s.next(now)
	}
	return s.parts == 1 || maphash.Comparable(s.seed, r)&(s.parts-1) == s.turn/shareTurns&(s.parts-1)
}

// next begins a window, with a part that is as large as the last window allows.
func (s *share[R]) next(now time.Time) {
	switch {
	case s.spent > shareSpends:
		s.parts = min(2*s.parts, mostParts)
	case s.spent < shareSpends/4:
		s.parts = max(s.parts/2, 1)
	}
	s.began, s.spent = now, 0
	s.turn++
}

// took notes how long a look has taken.
func (s *share[R]) took(d time.Duration) { s.spent += d }

package builder

import (
	"hash/maphash"
	"time"
)

// share says which requests a guard looks at, so that it takes no more than a hundredth of one CPU: looking
// compares objects, which takes longer than some reconcilers do. A loop can't be seen in every second call,
// so share leaves out requests and not calls: those of another part each ten minutes. If looking takes
// little, share leaves out none.
//
//	budget  ── a hundredth of the time ──▶ at most shareBurst
//	        ◀── each look takes what it took; in debt nothing is looked at, and the part gets half as large
//
// It has no lock.
type share[R comparable] struct {
	budget  budget
	seed    maphash.Seed
	parts   uint64        // Invariant: a power of two. Requests are divided into so many, and one is looked at.
	doubled time.Time     // when parts was last doubled
	looked  bool          // since then: without a look, the debt says nothing of so small a part
	turn    uint64        // turns since 1970
	whole   time.Duration // what looking at everything would have taken in this turn
}

const (
	shareOf    = 100 // the part of one CPU that looking may take is one of so many
	shareBurst = 20 * time.Millisecond
	shareTurn  = 10 * time.Minute // how long the same part is looked at
	shareRush  = 50 * time.Millisecond
	mostParts  = 1 << 12
)

// budget is the time that looking may take. The zero value is ready.
type budget struct {
	paid time.Time // until when all that was taken is paid. Invariant: before shareTurn from the last look.
}

// inDebt reports whether more was taken than there is. A clock that was set back by much has no
// debts.
func (b *budget) inDebt(now time.Time) bool {
	debt := b.paid.Sub(now)
	return debt > 0 && debt <= shareTurn
}

// take takes from it.
func (b *budget) take(d time.Duration, now time.Time) {
	if d <= 0 {
		return
	}
	debt := b.paid.Sub(now)
	if debt > shareTurn {
		debt = 0
	}
	b.paid = now.Add(min(max(debt, -shareBurst*shareOf)+min(d, shareTurn)*shareOf, shareTurn))
}

func newShare[R comparable]() share[R] {
	return share[R]{seed: maphash.MakeSeed(), parts: 1}
}

// has reports whether a request is looked at now.
func (s *share[R]) has(r R, now time.Time) bool {
	if turn := uint64(now.Unix()) / uint64(shareTurn/time.Second); turn != s.turn { //nolint:gosec // after 1970
		s.begin(turn)
	}
	if s.budget.inDebt(now) {
		if s.looked && now.Sub(s.doubled) >= shareRush {
			s.parts, s.doubled, s.looked = min(2*s.parts, mostParts), now, false
		}
		return false
	}
	return s.parts == 1 || (maphash.Comparable(s.seed, r)^s.turn)&(s.parts-1) == 0
}

// begin begins a turn, with a part as large as the last turn allows. It stays that large for the
// whole turn, unless there are debts.
func (s *share[R]) begin(turn uint64) {
	s.parts = 1
	for s.parts < mostParts && s.whole > time.Duration(s.parts)*shareTurn/shareOf { //nolint:gosec // it is small
		s.parts *= 2
	}
	s.turn, s.whole = turn, 0
}

// took notes how long a look has taken.
func (s *share[R]) took(d time.Duration, now time.Time) {
	s.budget.take(d, now)
	s.looked = true
	s.whole += d * time.Duration(s.parts) //nolint:gosec // it is small
}

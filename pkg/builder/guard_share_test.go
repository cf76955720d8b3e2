package builder

import (
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/hotloop"
)

// TestAShareTakesAHundredth has many calls a second for a long time, and then few. Looking keeps to
// the bound, each request has its turn, and a turn is long enough to see a loop.
func TestAShareTakesAHundredth(t *testing.T) {
	const look, requests = 100 * time.Microsecond, 1000
	s := newShare[int]()
	now := time.Unix(0, 0)
	spent := time.Duration(0)
	calls, looked, longest := map[int]int{}, map[int]int{}, map[int]int{} // longest: looks in a row
	row := map[int]int{}
	for n := range 3_000_000 { // five hours, 167 calls a second: looking at all takes 1.7 hundredths
		now = now.Add(6 * time.Millisecond)
		r := n % requests
		calls[r]++
		if !s.has(r, now) {
			row[r] = 0
			continue
		}
		s.took(look, now)
		spent += look
		looked[r]++
		row[r]++
		longest[r] = max(longest[r], row[r])
	}
	if most := now.Sub(time.Unix(0, 0))/shareOf + shareBurst; spent > most || spent < most/4 {
		t.Errorf("looking took %v, want up to %v", spent, most)
	}
	for r := range requests {
		if looked[r] == 0 || longest[r] < 80 { // a turn is a hundred calls
			t.Errorf("request %d was looked at in %d of %d calls, at most %d times in a row", r, looked[r], calls[r], longest[r])
		}
	}
	for range 2 {
		now = now.Add(shareTurn)
		s.has(0, now)
	}
	for r := range requests {
		if !s.has(r, now) {
			t.Fatalf("request %d is left out, and looking takes nothing", r)
		}
	}
}

// TestAShareAnswersToABurst has looks that take all the time there is.
func TestAShareAnswersToABurst(t *testing.T) {
	s := newShare[int]()
	now := time.Unix(0, 0)
	spent := time.Duration(0)
	for n := range 100_000 {
		now = now.Add(10 * time.Microsecond)
		if s.has(n, now) {
			s.took(time.Millisecond, now)
			spent += time.Millisecond
		}
	}
	if most := now.Sub(time.Unix(0, 0))/shareOf + shareBurst + time.Millisecond; spent > most {
		t.Errorf("in %v looking took %v, want at most %v", now.Sub(time.Unix(0, 0)), spent, most)
	}
}

// TestDebts has looks that take minutes, and then a clock that is set back.
func TestDebts(t *testing.T) {
	var of budget
	now := time.Unix(1_900_000_000, 0)
	for range 1000 {
		of.take(time.Minute, now)
	}
	if !of.inDebt(now.Add(shareTurn-1)) || of.inDebt(now.Add(shareTurn)) {
		t.Error("looks that took long are paid after less than a turn, or after more")
	}
	back := now.Add(-time.Hour)
	if of.inDebt(back) {
		t.Error("a clock that was set back by an hour is in debt")
	}
	if of.take(time.Millisecond, back); !of.inDebt(back) || of.inDebt(back.Add(time.Second)) {
		t.Error("after the clock was set back a millisecond is not paid in a tenth of a second")
	}
}

// TestOneSlowLookBlindsNobody has one look that is held up, by one large object or because the kernel
// took the CPU away. The operator is idle otherwise.
func TestOneSlowLookBlindsNobody(t *testing.T) {
	s := newShare[int]()
	now := time.Unix(1_800_000_001, 0) // the beginning of a turn
	s.took(150*time.Millisecond, now)
	looked, calls := 0, 0
	// The half that is looked at is drawn. Of a thousand requests it is never as few as a third, and of fifty it
	// sometimes is.
	const requests = 1000
	for range 5900 {
		now = now.Add(100 * time.Millisecond)
		calls++
		if s.has(calls%requests, now) {
			looked++
			s.took(20*time.Microsecond, now)
		}
	}
	if looked < calls/3 {
		t.Errorf("of %d calls %d were looked at, one of %d requests", calls, looked, s.parts)
	}
}

// TestTheLatestLoopsAreLookedAt has more requests with an episode than are remembered. Those of objects
// that are gone are never called again.
func TestTheLatestLoopsAreLookedAt(t *testing.T) {
	g := &guard[int]{share: newShare[int](), loops: map[int]time.Time{}}
	now := time.Unix(1_800_000_001, 0)
	for r := range 3 * maxLoops {
		g.looked(r, hotloop.Found, now)
		if _, known := g.loops[r]; !known || len(g.loops) > maxLoops {
			t.Fatalf("of %d requests the last is remembered: %t", len(g.loops), known)
		}
	}
}

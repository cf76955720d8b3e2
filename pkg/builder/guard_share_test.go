package builder

import (
	"testing"
	"time"
)

// TestAShareTakesAHundredth looks at more and more requests, each of which takes long, and then at
// few. What it looks at keeps to the bound, and each request has its turn.
func TestAShareTakesAHundredth(t *testing.T) {
	s := newShare[int]()
	now := time.Unix(0, 0)
	const look = time.Millisecond
	spent := map[int64]time.Duration{} // by minute
	looked := map[int]bool{}
	for range 2 * 3600 * 10 { // two hours, ten calls a tenth of a second
		now = now.Add(100 * time.Millisecond)
		for r := range 10 {
			r += int(now.UnixMilli()/100%100) * 10
			if s.has(r, now) {
				s.took(look)
				spent[now.Unix()/60] += look
				looked[r] = true
			}
		}
	}
	delete(spent, 0) // it has to learn first
	for minute, took := range spent {
		if took > 2*time.Minute/100 {
			t.Errorf("minute %d: looking took %v, want about %v", minute, took, time.Minute/100)
		}
	}
	if len(looked) != 1000 {
		t.Errorf("%d requests had a turn, want 1000", len(looked))
	}
	for range 100 {
		now = now.Add(shareWindow)
		s.has(0, now)
	}
	for r := range 1000 {
		if !s.has(r, now) {
			t.Fatalf("request %d is left out, and looking takes nothing", r)
		}
	}
}

// TestAShareStaysForAMinute looks at the same requests until a loop can be seen.
func TestAShareStaysForAMinute(t *testing.T) {
	s := newShare[int]()
	s.parts = 4
	now := time.Unix(0, 0)
	s.has(0, now)
	for s.turn%shareTurns != 0 {
		now = now.Add(shareWindow)
		s.took(shareSpends / 2) // as it should be
		s.has(0, now)
	}
	before := map[int]bool{}
	for r := range 100 {
		before[r] = s.has(r, now)
	}
	for range shareTurns - 1 {
		now = now.Add(shareWindow)
		s.took(shareSpends / 2)
		for r := range 100 {
			if s.has(r, now) != before[r] {
				t.Fatalf("the turn of request %d ended after less than a minute", r)
			}
		}
	}
}

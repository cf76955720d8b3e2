package memory

import (
	"runtime/debug"
	"testing"
)

// percent returns what is set.
func percent() int {
	now := debug.SetGCPercent(100)
	debug.SetGCPercent(now)
	return now
}

// TestTheCollectorIsSetBack reads several states at once, and sets another percentage meanwhile.
func TestTheCollectorIsSetBack(t *testing.T) {
	before := percent()
	t.Cleanup(func() { debug.SetGCPercent(before) })
	for name, c := range map[string]struct {
		before, meanwhile, after int
	}{
		"nothing else":         {before: 100, after: 100},
		"somebody sets it":     {before: 100, meanwhile: 70, after: 70},
		"it is off":            {before: -1, after: -1},
		"it is large":          {before: 1 << 30, after: 1 << 30},
		"somebody turns it on": {before: -1, meanwhile: 50, after: 50},
	} {
		debug.SetGCPercent(c.before)
		first, second := collector.wait(1<<30), collector.wait(1<<20)
		first()
		if now := percent(); now < c.before || now <= 100 && c.before == 100 {
			t.Errorf("%s: the percentage is %d while one is read", name, now)
		}
		if c.meanwhile != 0 {
			debug.SetGCPercent(c.meanwhile)
		}
		second()
		if now := percent(); now != c.after {
			t.Errorf("%s: the percentage is %d, want %d", name, now, c.after)
		}
	}
}

package peer

import (
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

func TestResyncPeriods(t *testing.T) {
	const s = time.Second
	of := func(d time.Duration) *time.Duration { return &d }
	for _, c := range []struct {
		name      string
		byDefault time.Duration
		asked     *time.Duration
		started   bool
		want      time.Duration
		wantCheck time.Duration // what the next handler is measured by
	}{
		{"the informer's own", 10 * s, nil, false, 0, 10 * s}, // which its scopes have
		{"a handler that wants none", 10 * s, of(0), false, resync.Never, 10 * s},
		{"a handler's own", 10 * s, of(20 * s), false, 20 * s, 10 * s},
		{"a shorter one before the start", 10 * s, of(3 * s), false, 3 * s, 3 * s},
		{"a shorter one after the start", 10 * s, of(3 * s), true, 10 * s, 10 * s},
		{"a longer one after the start", 10 * s, of(30 * s), true, 30 * s, 10 * s},
		{"less than a second", 10 * s, of(s / 2), false, s, s},
		{"of an informer without resync", 0, of(5 * s), false, resync.Never, 0},
		{"of an informer without resync, after the start", 0, of(5 * s), true, resync.Never, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := resyncPeriods{byDefault: c.byDefault, check: c.byDefault}
			if got, _ := p.policy(c.asked, c.started); got.Period != c.want || p.check != c.wantCheck {
				t.Errorf("granted is %v and the next is measured by %v, want %v and %v", got.Period, p.check, c.want, c.wantCheck)
			}
		})
	}
	byPolicy := resyncPeriods{check: 10 * s, byPolicy: func() bool { return true }}
	for asked, want := range map[time.Duration]time.Duration{0: resync.Never, s / 2: s, 3 * s: 3 * s} {
		if got, _ := byPolicy.policy(&asked, true); got.Period != want || byPolicy.check != 10*s {
			t.Errorf("where policies say when, a handler that asks for %v is granted %v, want %v", asked, got.Period, want)
		}
	}
}

package engine

import (
	"cmp"
	"time"
)

// Backoff says how long to wait between attempts that fail. Zero fields have no
// opinion; [DefaultBackoff] is what they end up as.
type Backoff struct {
	Initial time.Duration // before the second attempt
	Max     time.Duration // where growing ends, before jitter
	Factor  float64       // how much longer each wait is than the one before
	// Jitter spreads clients that failed together: a wait of d takes between d
	// and d×(1+Jitter). Negative is none.
	Jitter float64
	// Reset is how long nothing may have failed for the next failure to count as
	// the first again.
	Reset time.Duration
}

// DefaultBackoff waits from 0.8 to 30 seconds, each up to doubled by jitter:
// a client loses little by a short outage, and a thousand of them do not keep an
// API server down that tries to come up.
var DefaultBackoff = Backoff{
	Initial: 800 * time.Millisecond,
	Max:     30 * time.Second,
	Factor:  2,
	Jitter:  1,
	Reset:   2 * time.Minute,
}

// Or fills the gaps of b from fallback.
func (b Backoff) Or(fallback Backoff) Backoff {
	b.Initial = cmp.Or(b.Initial, fallback.Initial)
	b.Max = cmp.Or(b.Max, fallback.Max)
	b.Factor = cmp.Or(b.Factor, fallback.Factor)
	b.Jitter = cmp.Or(b.Jitter, fallback.Jitter)
	b.Reset = cmp.Or(b.Reset, fallback.Reset)
	return b
}

// backoff is a Backoff in use. It has neither clock nor random source: the caller
// passes both.
type backoff struct {
	Backoff

	next time.Duration // of the next wait, before jitter; zero starts over
	last time.Time     // when a wait was last asked for
}

// longestWait is more than a century. To convert a larger number of nanoseconds to a
// Duration would make it negative.
const longestWait = 1 << 62

// wait is how long to wait after a failure at now. random is in [0, 1).
func (b *backoff) wait(now time.Time, random float64) time.Duration {
	if b.next == 0 || now.Sub(b.last) > b.Reset {
		b.next = b.Initial
	}
	b.last = now
	wait := b.next
	b.next = min(time.Duration(min(float64(b.next)*max(b.Factor, 1), longestWait)), max(b.Max, b.Initial))
	if b.Jitter > 0 {
		wait = time.Duration(min(float64(wait)*(1+random*b.Jitter), longestWait))
	}
	return wait
}

// listed notes that a list has been read, at now. The time that it took was not time in
// which nothing failed.
func (b *backoff) listed(now time.Time) {
	if b.next != 0 {
		b.last = now
	}
}

// forget makes the next failure the first.
func (b *backoff) forget() { b.next = 0 }

// grace allows one kind of failure to be retried at once for a limited time.
type grace struct {
	first, last time.Time
}

// graceReset is how long nothing may have failed for a failure to be the first.
const graceReset = time.Minute

// retry reports whether a failure at now is within window of the first one.
func (g *grace) retry(now time.Time, window time.Duration) bool {
	if g.first.IsZero() || now.Sub(g.last) >= graceReset {
		g.first = now
	}
	g.last = now
	if window > 0 && now.Sub(g.first) <= window {
		return true
	}
	*g = grace{}
	return false
}

package reflector

import (
	"time"

	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// backoff is a Backoff in use. It has neither clock nor random source: the caller
// passes both.
type backoff struct {
	informer.Backoff

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

package keyqueue

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
)

// steady measures time by a caller's own clock. When that clock is set back, the measured
// time stands still until the next reading and then goes on. Else the queue would hand out nothing
// until the clock has caught up.
type steady struct {
	now      func() time.Time
	setBacks atomic.Uint64 // how often the clock was set back

	mu    lock.Mutex[lock.QueueClock] // guards everything below; held while reading the clock
	last  time.Time                   // what the clock said
	count time.Duration               // Invariant: it never goes back.
}

func newSteady(now func() time.Time) *steady { return &steady{now: now, last: now()} }

// elapsed is the time since the count began.
func (s *steady) elapsed() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.elapsedLocked()
}

func (s *steady) elapsedLocked() time.Duration {
	now := s.now()
	if now.Before(s.last) {
		s.setBacks.Add(1)
	}
	s.count += min(max(0, now.Sub(s.last)), math.MaxInt64-s.count)
	s.last = now
	return s.count
}

// start is the time at which the count began, by what the clock says now.
func (s *steady) start() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	count := s.elapsedLocked()
	return s.last.Add(-count)
}

package reflector

import (
	"context"
	"sync/atomic"
)

// Limiter bounds how many Reflectors read a whole list at once. A process
// that starts with thirty kinds would otherwise hold thirty half-read lists in
// memory, and ask the API server for all of them in the same second.
//
// One ListLimiter is shared by the Reflectors that it bounds. A nil *ListLimiter
// bounds nothing.
type Limiter struct {
	turns   chan struct{} // holds an element for every turn that is taken
	waiting atomic.Int64
}

// NewLimiter allows atOnce lists at a time; less than one counts as one.
func NewLimiter(atOnce int) *Limiter {
	return &Limiter{turns: make(chan struct{}, max(atOnce, 1))}
}

// take waits for a turn, first come first served. It returns false if ctx ended
// before there was one.
func (l *Limiter) take(ctx context.Context) bool {
	if ctx.Err() != nil {
		return false
	}
	if l == nil {
		return true
	}
	l.waiting.Add(1)
	defer l.waiting.Add(-1)
	select {
	case l.turns <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// give hands a turn back.
func (l *Limiter) give() {
	if l == nil {
		return
	}
	select {
	case <-l.turns:
	default:
		panic("BUG: a turn to list was given back that nobody had taken")
	}
}

// Limit is how many lists may be read at once; zero is any number.
func (l *Limiter) Limit() int {
	if l == nil {
		return 0
	}
	return cap(l.turns)
}

// Taken is how many lists are being read now.
func (l *Limiter) Taken() int {
	if l == nil {
		return 0
	}
	return len(l.turns)
}

// Waiting is how many Reflectors wait for a turn.
func (l *Limiter) Waiting() int {
	if l == nil {
		return 0
	}
	return int(l.waiting.Load())
}

package reflector

import (
	"context"
	"slices"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
)

// Limiter bounds how many Reflectors read a whole list at once, for the sake of our memory and of the server. They
// share it. A nil *Limiter bounds nothing.
type Limiter struct {
	limit int

	mu    lock.Mutex[lock.Limiter] // guards everything below, and the state of each turn
	taken int
	again []waiter // who have begun a list, and go on with it
	first []waiter // who begin
}

// waiter is closed when its turn has come.
type waiter chan struct{}

// patience is how long a list may bring nothing before it lets others in. A server that is
// silent for one kind may answer for all others.
const patience = 250 * time.Millisecond

// NewLimiter allows atOnce lists at a time; less than one counts as one.
func NewLimiter(atOnce int) *Limiter { return &Limiter{limit: max(atOnce, 1)} }

// turn is the right to read a list. It is lent to others while the list brings nothing.
//
//	take ──▶ held ──flows──▶ held ──keep──▶ held, come what may ──give──▶ over
//	           │ patience     ▲
//	           ╰──▶ lent ─────╯ again
type turn struct {
	of     *Limiter // nil for a turn that bounds nothing
	silent *time.Timer
	lent   bool // guarded by of.mu
}

// take waits for a turn, first come first served. It returns false if ctx ended
// before there was one.
func (l *Limiter) take(ctx context.Context) (*turn, bool) {
	if ctx.Err() != nil {
		return nil, false
	}
	if l == nil {
		return &turn{}, true
	}
	if !l.wait(ctx, &l.first) {
		return nil, false
	}
	t := &turn{of: l}
	l.mu.Lock()
	defer l.mu.Unlock()
	t.silent = time.AfterFunc(patience, t.lend)
	return t, true
}

// wait waits in line until one more may list.
func (l *Limiter) wait(ctx context.Context, line *[]waiter) bool {
	l.mu.Lock()
	if l.taken < l.limit {
		l.taken++
		l.mu.Unlock()
		return true
	}
	w := make(waiter)
	*line = append(*line, w)
	l.mu.Unlock()
	select {
	case <-w:
		return true
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(*line, w); i >= 0 {
		*line = slices.Delete(*line, i, i+1)
	} else {
		l.passLocked() // it came at the same moment
	}
	return false
}

// passLocked lets the next one in. A list that has begun comes before all that have not: it is
// half in memory, and its server waits.
func (l *Limiter) passLocked() {
	for _, line := range []*[]waiter{&l.again, &l.first} {
		if len(*line) > 0 {
			close((*line)[0])
			*line = slices.Delete(*line, 0, 1)
			return
		}
	}
	l.taken--
}

// lend lets others in until the list brings something.
func (t *turn) lend() {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	if !t.lent {
		t.lent = true
		t.of.passLocked()
	}
}

// flows notes that the list has brought something. It reports false for a turn that was lent:
// then the list goes on after again.
func (t *turn) flows() bool {
	if t.of == nil {
		return true
	}
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	if t.lent {
		return false
	}
	t.silent.Reset(patience)
	return true
}

// again waits until a list may go on whose turn was lent. It returns false if ctx ended before.
func (t *turn) again(ctx context.Context) bool {
	if !t.of.wait(ctx, &t.of.again) {
		return false
	}
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	t.lent = false
	t.silent.Reset(patience)
	return true
}

// keep notes that the list has come to its end. The rest needs the turn, and no server.
func (t *turn) keep() {
	if t.silent != nil {
		t.silent.Stop()
	}
}

// give hands a turn back.
func (t *turn) give() {
	if t.of == nil {
		return
	}
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	t.silent.Stop()
	if !t.lent {
		t.of.passLocked()
	}
	t.lent = true // nor does a timer lend it that has just run out
}

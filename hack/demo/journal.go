package main

import (
	"slices"
	"sync"
	"time"
)

// journal remembers what the present chapter waits for.
type journal struct {
	mu    sync.Mutex // guards everything below
	clues []clue     // the reconciles that the chapter waits for
	seen  []bool     // which of these there were
	last  time.Time  // the time of the latest reconcile
}

// add notes a call, and reports whether the chapter waits for such a one.
func (j *journal) add(e entry) (awaited bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.last = time.Now()
	for i, clue := range j.clues {
		if clue.fits(e) {
			j.seen[i], awaited = true, true
		}
	}
	return awaited
}

// begin begins a chapter, which waits for reconciles that fit the clues.
func (j *journal) begin(clues []clue) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.clues, j.seen, j.last = clues, make([]bool, len(clues)), time.Now()
}

// missing returns a clue that no reconcile of the chapter fits.
func (j *journal) missing() (clue, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if i := slices.Index(j.seen, false); i >= 0 {
		return j.clues[i], true
	}
	return clue{}, false
}

// quiet is the time since the last reconcile.
func (j *journal) quiet() time.Duration {
	j.mu.Lock()
	defer j.mu.Unlock()
	return time.Since(j.last)
}

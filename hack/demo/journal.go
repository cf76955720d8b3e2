package main

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// journal remembers what the present chapter waits for, and counts all calls.
type journal struct {
	mu    sync.Mutex // guards everything below
	clues []clue     // the reconciles that the chapter waits for
	seen  []bool     // which of these there were
	last  time.Time  // the time of the latest reconcile
	all   totals
}

// totals are the counts of all calls since the operator's start.
type totals struct {
	calls   int
	wrote   int // calls that did
	objects int // written
	ran     int // steps, of the calls that had a plan
	planned int // such calls
	steps   map[string]bool
	longest time.Duration // of one call
}

// could is how many steps would have run if the calls had not known what changed.
func (t *totals) could() int { return t.planned * len(t.steps) }

// add counts a call, and reports whether the chapter waits for such a one.
func (j *journal) add(e entry) (awaited bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.last = time.Now()
	j.all.add(e)
	for i, clue := range j.clues {
		if clue.fits(e) {
			j.seen[i], awaited = true, true
		}
	}
	return awaited
}

func (t *totals) add(e entry) {
	t.calls++
	t.objects += len(e.Wrote)
	if len(e.Wrote) > 0 {
		t.wrote++
	}
	if ran, planned := e.ran(); planned {
		if t.steps == nil {
			t.steps = map[string]bool{}
		}
		for _, step := range ran {
			t.steps[step] = true
		}
		t.planned, t.ran = t.planned+1, t.ran+len(ran)
	}
	if took, err := time.ParseDuration(e.Took); err == nil {
		t.longest = max(t.longest, took)
	}
}

// totals returns the counts up to now.
func (j *journal) totals() *totals {
	j.mu.Lock()
	defer j.mu.Unlock()
	all := j.all
	all.steps = maps.Clone(j.all.steps)
	return &all
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

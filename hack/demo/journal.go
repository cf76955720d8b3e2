package main

import (
	"bytes"
	"maps"
	"sync"
	"time"
)

// journal remembers the reconciles since the last chapter began, and counts all calls.
type journal struct {
	mu      sync.Mutex // guards everything below
	entries []entry
	clues   []clue    // the reconciles that the chapter waits for
	last    time.Time // the time of the latest reconcile
	all     totals
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

// most is how many reconciles of a chapter the journal remembers. A change causes about a
// dozen.
const most = 10_000

func (j *journal) add(e entry) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.last = time.Now()
	if len(j.entries) < most {
		j.entries = append(j.entries, e)
	}
	j.all.add(e)
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

// begin forgets all reconciles, and waits for those that fit the clues.
func (j *journal) begin(clues []clue) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries, j.clues, j.last = nil, clues, time.Now()
}

// awaits reports whether the chapter waits for such a call.
func (j *journal) awaits(e entry) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, clue := range j.clues {
		if clue.fits(e) {
			return true
		}
	}
	return false
}

// has reports whether there was a reconcile that fits.
func (j *journal) has(c clue) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, e := range j.entries {
		if c.fits(e) {
			return true
		}
	}
	return false
}

// quiet is the time since the last reconcile.
func (j *journal) quiet() time.Duration {
	j.mu.Lock()
	defer j.mu.Unlock()
	return time.Since(j.last)
}

// lines is a writer that calls tell with each line.
type lines struct {
	tell func(line []byte)
	rest []byte
}

// longest is the longest line that is read. The operator's own limits are far lower.
const longest = 1 << 20

// Write accepts parts of lines.
func (l *lines) Write(output []byte) (int, error) {
	n := len(output)
	for {
		line, after, ended := bytes.Cut(output, []byte("\n"))
		l.rest = append(l.rest, line[:min(len(line), longest-len(l.rest))]...)
		if !ended {
			return n, nil
		}
		l.tell(l.rest)
		l.rest, output = l.rest[:0], after
	}
}

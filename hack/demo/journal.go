package main

import (
	"bytes"
	"maps"
	"sync"
	"time"
)

// journal remembers what has been reconciled since the last chapter began, and counts
// everything.
type journal struct {
	mu      sync.Mutex // guards everything below
	entries []entry
	clues   []clue    // what the chapter waits for
	last    time.Time // when the latest came
	all     totals
}

// totals are about all calls, from the operator's start on.
type totals struct {
	calls   int
	wrote   int // calls that did
	objects int // written
	ran     int // steps, of the calls that had a plan
	planned int // such calls
	steps   map[string]bool
	longest time.Duration // of one call
}

// could is how many steps the calls would have run that knew nothing.
func (t *totals) could() int { return t.planned * len(t.steps) }

// most is how much of a chapter is remembered. A step causes a dozen reconciles.
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

// totals are those so far.
func (j *journal) totals() *totals {
	j.mu.Lock()
	defer j.mu.Unlock()
	all := j.all
	all.steps = maps.Clone(j.all.steps)
	return &all
}

// begin forgets what was before, and waits for what fits the clues.
func (j *journal) begin(clues []clue) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries, j.clues, j.last = nil, clues, time.Now()
}

// awaits reports whether the chapter waits for a call like that.
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

// has reports whether something that fits has been reconciled.
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

// quiet is for how long nothing has been reconciled.
func (j *journal) quiet() time.Duration {
	j.mu.Lock()
	defer j.mu.Unlock()
	return time.Since(j.last)
}

// lines calls tell with each line that is written to it.
type lines struct {
	tell func(line []byte)
	rest []byte
}

// longest is how much of a line is read: the operator's own bounds are far below.
const longest = 1 << 20

// Write takes any part of the output.
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

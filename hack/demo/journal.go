package main

import (
	"bytes"
	"sync"
	"time"
)

// journal remembers what has been reconciled since the last chapter began.
type journal struct {
	mu      sync.Mutex // guards everything below
	entries []entry
	last    time.Time // when the latest came
}

// most is how much of a chapter is remembered. A step causes a dozen reconciles.
const most = 10_000

func (j *journal) add(e entry) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.last = time.Now()
	if len(j.entries) < most {
		j.entries = append(j.entries, e)
	}
}

// begin forgets what was before.
func (j *journal) begin() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries, j.last = nil, time.Now()
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

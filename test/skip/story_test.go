package skip

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// story has the events of a world in order, and its failures.
type story struct {
	plan  *plan
	began time.Time

	mu       sync.Mutex // guards everything below
	lines    []line
	failures []string
	counts   counts
}

// line is one event. Its text is made only when the story is printed.
type line struct {
	at   time.Duration
	text func() string
}

// counts say how much a world has tested.
type counts struct {
	calls, complete, asked, skipped int
	steps, spared                   int // steps that calls have come to, and those of them that were skipped
	compared                        int // calls that begin with what has changed since an earlier process
}

func (c *counts) add(more counts) {
	c.calls += more.calls
	c.complete += more.complete
	c.asked += more.asked
	c.skipped += more.skipped
	c.compared += more.compared
	c.steps += more.steps
	c.spared += more.spared
}

// telling are the stories of the worlds that run now. If there is a panic, all of them note
// it, because it can be in any of them.
var telling stories

type stories struct {
	mu  sync.Mutex // guards all
	all map[*story]struct{}
}

// begin adds a story until end is called.
func (s *stories) begin(told *story) (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[*story]struct{}{}
	}
	s.all[told] = struct{}{}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.all, told)
	}
}

// crash notes a panic that is not wanted.
func (s *stories) crash(of any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for told := range s.all {
		told.fail("there was a panic here, or in a world beside this one: %v", of)
	}
}

func newStory(p *plan) *story { return &story{plan: p} }

// note adds an event.
func (s *story) note(text func() string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, line{time.Since(s.began), text})
}

// fail adds a failure.
func (s *story) fail(format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	s.note(func() string { return "WRONG  " + what })
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures = append(s.failures, what)
}

// sinceNews is the time since the last event.
func (s *story) sinceNews() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Since(s.began) - s.lines[len(s.lines)-1].at
}

// count changes the counts.
func (s *story) count(add func(*counts)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	add(&s.counts)
}

// failed reports whether there was a failure.
func (s *story) failed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.failures) > 0
}

// first is the first failure.
func (s *story) first() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failures[0]
}

// String is the whole story.
func (s *story) String() string {
	s.mu.Lock()
	lines, failures := slices.Clone(s.lines), slices.Clone(s.failures)
	s.mu.Unlock()
	var b strings.Builder
	for _, failure := range failures {
		fmt.Fprintln(&b, failure)
	}
	fmt.Fprintf(&b, "\n%s\n", s.plan)
	for _, l := range lines {
		fmt.Fprintf(&b, "%14v  %s\n", l.at, l.text())
	}
	return b.String()
}

// sketch describes an object at a version in a few words.
func (w *world) sketch(id objectID, version int64) string {
	return w.server.at(id, version).sketch(id.kind)
}

// sketch describes the parts of an object that a world changes.
func (s *state) sketch(k *kind) string {
	if s.object == nil {
		return "gone"
	}
	uid, _ := (&place{fields: []any{"metadata", "uid"}}).get(s.object).(string)
	words := []string{uid}
	for _, p := range append([]*place{labelled, k.ref}, k.places...) {
		if p == nil {
			continue
		}
		if value := p.get(s.object); value != nil {
			words = append(words, fmt.Sprintf("%s=%v", p.path, value))
		}
	}
	if owner := ownerOf(s.object); owner != "" {
		words = append(words, "owner="+owner)
	}
	return strings.Join(words, " ")
}

// ownerOf is the name of the object's controller.
func ownerOf(object map[string]any) string {
	references, _ := owned.get(object).([]any)
	for _, reference := range references {
		if name, ok := reference.(map[string]any)["name"].(string); ok {
			return name
		}
	}
	return ""
}

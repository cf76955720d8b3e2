package skip

import (
	"slices"
	"testing"
)

// shrink looks for a smaller plan with the same failure, and returns its story.
func shrink(t *testing.T, p *plan, told *story) *story {
	t.Helper()
	s := &shrinker{t: t, best: p, story: told, what: told.kinds()[0], budget: 400}
	for smaller := true; smaller && s.budget > 0; {
		smaller = s.fewer(func(p *plan) *[]*step { return &p.steps })
		smaller = s.watches() || smaller
		smaller = s.jobs() || smaller
		smaller = s.fewer(func(p *plan) *[]*step { return &p.births }) || smaller
		smaller = s.simpler() || smaller
	}
	return s.story
}

// shrinker has the smallest plan that was found.
type shrinker struct {
	t      *testing.T
	best   *plan
	story  *story
	what   wrong
	budget int // how many more plans it may play
}

// try plays a changed plan, and keeps it if it has the same failure. It may play it a second
// time, because chance decides which goroutine runs first.
func (s *shrinker) try(change func(*plan)) bool {
	for range 2 {
		if s.budget <= 0 {
			return false
		}
		s.budget--
		p := *s.best
		change(&p)
		if told := play(s.t, &p); slices.Contains(told.kinds(), s.what) {
			s.best, s.story = &p, told
			return true
		}
	}
	return false
}

// fewer leaves out steps, at first many at once.
func (s *shrinker) fewer(of func(*plan) *[]*step) (smaller bool) {
	for size := len(*of(s.best)); size > 0; size /= 2 {
		for from := 0; from < len(*of(s.best)); {
			to := min(from+size, len(*of(s.best)))
			if s.try(func(p *plan) { *of(p) = slices.Delete(slices.Clone(*of(p)), from, to) }) {
				smaller = true
			} else {
				from = to
			}
		}
	}
	return smaller
}

// jobs leaves out jobs.
func (s *shrinker) jobs() (smaller bool) {
	for _, j := range s.best.jobs {
		smaller = s.try(func(p *plan) {
			p.jobs = slices.DeleteFunc(slices.Clone(p.jobs), func(other *job) bool { return other.n == j.n })
		}) || smaller
	}
	return smaller
}

// watches leaves out watches, with the jobs that need them.
func (s *shrinker) watches() (smaller bool) {
	for _, w := range s.best.watches[1:] {
		smaller = s.try(func(p *plan) {
			p.watches = slices.DeleteFunc(slices.Clone(p.watches), func(other *watch) bool { return other.n == w.n })
			p.rework()
		}) || smaller
	}
	return smaller
}

// rework works out again which watches show each job, and leaves out jobs that no watch
// shows.
func (p *plan) rework() {
	var all []*job
	for _, j := range p.jobs {
		changed := *j
		if changed.shownBy = p.showing(&changed); len(changed.shownBy) > 0 {
			all = append(all, &changed)
		}
	}
	p.jobs = all
}

// rewatch changes one watch.
func (p *plan) rewatch(n int, change func(*watch)) {
	p.watches = slices.Clone(p.watches)
	for i, w := range p.watches {
		if w.n == n {
			changed := *w
			change(&changed)
			p.watches[i] = &changed
		}
	}
	p.rework()
}

// simpler makes the plan simpler: all objects are poked, handlers are quick, no predicate
// holds anything back, and time passes between the steps.
func (s *shrinker) simpler() (smaller bool) {
	for _, t := range []traits{failures, postponements, stepwise} {
		if s.best.has(t) {
			smaller = s.try(func(p *plan) { p.traits &^= t }) || smaller
		}
	}
	for _, w := range s.best.watches {
		if w.pace != atOnce {
			smaller = s.try(func(p *plan) { p.rewatch(w.n, func(w *watch) { w.pace = atOnce }) }) || smaller
		}
		if w.filter.make != nil {
			smaller = s.try(func(p *plan) { p.rewatch(w.n, func(w *watch) { w.filter = unfiltered }) }) || smaller
		}
	}
	if s.best.workers > 1 {
		smaller = s.try(func(p *plan) { p.workers = 1 }) || smaller
	}
	return smaller
}

package delta

import (
	"errors"
	"slices"
)

// failedSteps are the names of the steps of a request that failed and have not succeeded
// since. The changes that are told again do not always say why a step ran: it may have been
// a timer, a kind that nobody watched then, a schema that was not there. So a step that
// failed is known by its name.
type failedSteps struct {
	names []string // shared, so never written to; at most maxStepReports
	more  bool     // there were more, so that it may be any
}

func (f *failedSteps) has(name string) bool { return f.more || slices.Contains(f.names, name) }

// add notes a name.
func (f *failedSteps) add(name string) {
	switch {
	case slices.Contains(f.names, name):
	case len(f.names) == maxStepReports:
		f.more = true
	default:
		f.names = append(f.names, name)
	}
}

// failedBefore reports whether a step failed in an earlier call and has not succeeded since.
func (s *callSteps) failedBefore(name string) bool { return s != nil && s.before.has(name) }

// left returns the steps that have failed in this call or not ended, and those that failed
// before it and were not tried.
func (s *callSteps) left() failedSteps {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == 0 && len(s.before.names) == 0 { // as nearly always
		return failedSteps{more: s.before.more}
	}
	left := failedSteps{names: slices.Clip(s.failures.names), more: s.failures.more || s.before.more}
	tried, unreported := failedSteps{names: slices.Clip(s.failures.names)}, s.open-s.failed
	for i := range s.reports {
		r := &s.reports[i]
		tried.add(r.Name)
		if errors.Is(r.Err, errStepAtWork) {
			left.add(r.Name)
			unreported--
		}
	}
	for _, name := range s.before.names {
		if !slices.Contains(tried.names, name) {
			left.add(name)
		}
	}
	left.more = left.more || unreported > 0
	return left
}

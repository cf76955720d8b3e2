package delta

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
	"github.com/delta-runtime/delta-runtime/internal/ledger"
)

// maxStepReports is how many steps of one call are reported. All of them are counted.
const maxStepReports = 100

// What stands for the error of a step that has returned none.
var (
	errStepAtWork = errors.New("it is still at work")
	errStepLeft   = errors.New("it panicked")
)

// StepReport is what became of a step in one call of a reconciler.
type StepReport struct {
	Name string
	// Skipped means that nothing that the step depends on was touched, so it did not run.
	Skipped bool
	// Err is why the step failed. It is nil for a step that was skipped or has succeeded.
	Err error
	// Began is when the step began, and Took how long it ran. Both are zero for a step that was
	// skipped, and Took also for one that is still at work.
	Began time.Time
	Took  time.Duration

	why stepReason
}

// Because says why the step ran: the change that touched what it depends on, or why it
// could not be skipped. It is empty for a step that was skipped.
func (r StepReport) Because() string { return r.why.String() }

// String is a line for a log.
func (r StepReport) String() string {
	switch {
	case r.Skipped:
		return r.Name + " skipped"
	case r.Err != nil:
		return fmt.Sprintf("%s failed: %v (it ran because: %s)", r.Name, r.Err, r.Because())
	default:
		return fmt.Sprintf("%s done: %s", r.Name, r.Because())
	}
}

// Steps returns what has become of the steps of this call, in the order in which they
// began. It is for logs and for tests, and has the first 100 steps. Without our builder and
// without [NewContext] there is nobody who keeps it, and it is empty.
func Steps(ctx context.Context) []StepReport {
	s := inside(ctx).steps
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.reports)
}

// callSteps is what has become of the steps of one call.
type callSteps struct {
	counts  *stepCounts // nil: nobody counts
	request requester   // nil: not known
	before  *doneSteps  // that need not run

	mu      lock.Mutex[lock.CallSteps] // guards everything below
	reports []StepReport
	reached reachedSteps
}

// requester knows the request that a call is about.
type requester interface{ requested() string }

// begunStep is a step at work.
type begunStep struct {
	name  string
	id    stepID
	place int // among the reports; -1 if there was no room
}

// reach notes that the reconciler has come to a step, and reports whether the step need not
// run unless something touches what it depends on.
func (s *callSteps) reach(id stepID) (done bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reached.reach(id, s.before)
}

func (s *callSteps) skip(name string) {
	s.counts.note(name, func(of *StepStatus) {
		of.Skipped++
		of.Blind = "" // whatever was wrong is right now
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reportLocked(StepReport{Name: name, Skipped: true})
}

// begin notes a step as one that has failed, which it has if nobody ends it.
func (s *callSteps) begin(name string, id stepID, why stepReason) begunStep {
	if why.blind {
		s.counts.note(name, func(of *StepStatus) { of.Blind = why.text })
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reached.undone = append(s.reached.undone, id)
	return begunStep{name, id, s.reportLocked(StepReport{Name: name, Err: errStepAtWork, Began: time.Now(), why: why})}
}

func (s *callSteps) reportLocked(r StepReport) (place int) {
	if len(s.reports) == maxStepReports {
		return -1
	}
	s.reports = append(s.reports, r)
	return len(s.reports) - 1
}

// end notes what came of a step, and returns its error with what it is about.
func (s *callSteps) end(b begunStep, err error) error {
	if err != nil {
		err = s.named(b.name, err)
	}
	s.counts.note(b.name, func(of *StepStatus) {
		if err != nil {
			of.Failed++
		} else {
			of.Done++
		}
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	if undone := &s.reached.undone; err == nil {
		i := slices.Index(*undone, b.id)
		*undone = slices.Delete(*undone, i, i+1)
	}
	if b.place >= 0 {
		report := &s.reports[b.place]
		report.Err, report.Took = err, time.Since(report.Began)
	}
	return err
}

func (s *callSteps) named(name string, err error) error {
	if s.request == nil {
		return fmt.Errorf("do step %q: %w", name, err)
	}
	return fmt.Errorf("do step %q for %s: %w", name, s.request.requested(), err)
}

// err returns the errors of the steps that have not succeeded. It returns nil if all
// have.
func (s *callSteps) err() error {
	s.mu.Lock()
	reports, open := slices.Clone(s.reports), len(s.reached.undone)
	s.mu.Unlock()
	var errs []error
	for i := range reports {
		r := &reports[i]
		if errors.Is(r.Err, errStepAtWork) {
			r.Err = s.named(r.Name, r.Err)
		}
		if r.Err != nil {
			errs = append(errs, r.Err)
		}
	}
	if more := open - len(errs); more > 0 {
		errs = append(errs, fmt.Errorf("do %d more steps: they failed or have not ended", more))
	}
	return errors.Join(errs...)
}

// outcome is that of the call, whatever it would be without steps: what was told has not
// been dealt with unless all steps have succeeded.
func (s *callSteps) outcome(how ledger.Outcome) ledger.Outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case len(s.reached.undone) == 0:
		return how
	case how == ledger.SettledAndFailed:
		return ledger.Failed
	case how == ledger.Succeeded || how == ledger.SucceededWithTimer:
		return ledger.Unfinished
	default:
		return how
	}
}

// done returns the steps that are done after the call.
func (s *callSteps) done(how ledger.Outcome) *doneSteps {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.before.then(&s.reached, how)
}

package journal

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Result is what came of a call.
type Result uint8

// The zero Result is invalid.
const (
	_ Result = iota
	Success
	Requeue // it asked for another call
	Error
	Panic
)

var words = [...]string{"", "success", "requeue", "error", "panic"}

// String is the word for it, in logs and answers.
func (r Result) String() string { return words[r] }

// ResultOf returns the Result with a word, or zero if there is none.
func ResultOf(word string) Result { return Result(max(0, slices.Index(words[:], word))) }

// StepResult is the word for what became of a step.
func StepResult(step *delta.StepReport) string {
	switch {
	case step.Skipped:
		return "skipped"
	case step.Err != nil:
		return "failed"
	default:
		return "done"
	}
}

// Call is one call of a reconciler.
type Call struct {
	// ID and Controller are the journal's. A caller of Note leaves them out.
	ID         uint64
	Controller string

	Request      delta.Key
	Began        time.Time
	Took         time.Duration
	Result       Result
	Err          error
	RequeueAfter time.Duration
	Changes      delta.Changes
	Steps        []delta.StepReport

	texts int64 // bytes of the errors
}

func (c *Call) number() uint64 { return c.ID }

func (c *Call) load() load {
	own := callBytes + changeBytes*int64(c.Changes.Len()) + stepBytes*int64(len(c.Steps)) + c.texts
	return load{id: c.ID, own: own, changes: c.Changes}
}

// about reports whether the call had a change of an object.
func (c *Call) about(kind schema.GroupVersionKind, key delta.Key) bool {
	for change := range c.Changes.All() {
		if change.Kind == kind && change.Key == key {
			return true
		}
	}
	return false
}

// CallFilter says which calls somebody wants. The zero value is all.
type CallFilter struct {
	Controller, Namespace, Name string // the last two are of the request
	Result                      Result
	Since                       uint64 // only those with a higher number
	Limit                       int    // no more than this. Zero means as many as there are.
}

func (f *CallFilter) wants(c *Call) bool {
	return fits(f.Namespace, c.Request.Namespace) && fits(f.Name, c.Request.Name) && (f.Result == 0 || f.Result == c.Result)
}

// Calls are the last calls of one controller.
type Calls struct {
	shelf[Call]

	failing map[delta.Key]*Failing // never nil; requests whose last call failed; guarded by mu
}

// Note notes a call. The journal keeps its changes, which nobody may change, and the texts of its errors.
func (c *Calls) Note(call Call) {
	call = told(call)
	of := changed
	if call.Result <= Requeue && call.Changes.Only(delta.Sync) {
		of = shown
	}
	failed := failure(&call)
	var more [classes]int64
	c.mu.Lock()
	place, fresh := c.addLocked(of)
	call.ID, call.Controller = c.journal.ids.Add(1), c.name
	*place, more[of] = call, fresh
	c.judgeLocked(call.Request, failed)
	c.mu.Unlock()
	c.journal.noted(more)
}

// Calls returns the calls that the filter wants, newest first, and how many of their controllers were dropped.
func (j *Journal) Calls(want CallFilter) (found []Call, dropped uint64) {
	return j.calls(want, func(*Call) bool { return true })
}

// CallsAbout returns the calls that the filter wants and that had a change of an object, or were made for it by one
// of its reconcilers, newest first.
func (j *Journal) CallsAbout(kind schema.GroupVersionKind, key delta.Key, reconcilers []string, want CallFilter) []Call {
	found, _ := j.calls(want, func(c *Call) bool {
		return c.Request == key && slices.Contains(reconcilers, c.Controller) || c.about(kind, key)
	})
	return found
}

// LastCall returns the last call of a request, if it is still there.
func (j *Journal) LastCall(controller string, request delta.Key) (Call, bool) {
	calls, _ := j.calls(CallFilter{Controller: controller, Limit: 1}, func(c *Call) bool { return c.Request == request })
	if len(calls) == 0 {
		return Call{}, false
	}
	return calls[0], true
}

func (j *Journal) calls(want CallFilter, also func(*Call) bool) (found []Call, dropped uint64) {
	for _, c := range j.controllersNamed(want.Controller) {
		var gone uint64
		found, gone = c.find(found, want.Since, want.Limit, func(call *Call) bool { return want.wants(call) && also(call) })
		dropped += gone
	}
	return firstOf(found, want.Limit, (*Call).number), dropped
}

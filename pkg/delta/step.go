package delta

import (
	"context"
	"errors"
	"slices"
)

// Plan begins a step of a reconciler's work. Say with On what the step depends on, and with
// Do what it does:
//
//	plan := delta.Plan(ctx)
//	return ctrl.Result{}, errors.Join(
//		plan.On(&webv1.Site{}, "spec.hostname").Do("dns", r.updateDNS),
//		plan.On(&webv1.Site{}, "spec").On(&corev1.Secret{}, "data").Do("register", r.register),
//	)
//
// See [Step] for when a step runs.
func Plan(ctx context.Context) Step { return Step{ctx: ctx} }

// Step is a named piece of a reconciler's work, with what it depends on. It runs unless
// everything that it depends on is known to be as it was. So it runs
//   - if something that it depends on is touched, as [Changes.Touches] understands it, by a
//     change that is told for the first time or told again,
//   - if the changes are not complete, or a relist may have hidden some,
//   - if a resync has led to the call, unless it is [Step.NotOnResync],
//   - if the request has not succeeded yet, or the last call that did has not reached the
//     step: the reconciler had returned before, or the step was behind an if,
//   - if the step failed before and has not succeeded since,
//   - if the call was also made by something that does not say for what object,
//   - if it depends on something that can't be judged: a path that can't be parsed or can't
//     exist, or a kind that no watch of the controller shows, and
//   - always, if it depends on nothing, and always without our builder.
//
// A step that fails is retried until it succeeds: the call that it was part of has not dealt
// with what it was told, whatever the reconciler returns and whether or not it calls
// [Settle], so the step's reason is told again. If the reconciler returns neither an error
// nor a wish to be called again, our builder returns the step's error in its place. A step
// that panics has failed.
//
// A retry runs the steps that something told again touches, also those that succeeded the
// last time. It skips the others. So a step has to be idempotent, as all work of a
// reconciler.
//
// A failed step does not stop those after it. If one step needs the result of another,
// return when the other fails. The next call runs both, because it is told the same.
//
// A Step does not change: a method returns another one, so steps can share a beginning. Any
// goroutine may use it.
type Step struct {
	ctx         context.Context
	on          []dependency
	causes      causes
	notOnResync bool
}

// dependency is what a step depends on: some fields of some objects of a kind.
type dependency struct {
	example Object
	key     Key      // an empty field stands for any
	paths   []string // none stand for the whole object
}

// On adds what the step depends on: these paths of all objects of the example's kind that
// lead to the request. Without paths that is everything about these objects, their status
// and their metadata included. The controller has to watch the kind.
func (s Step) On(example Object, paths ...string) Step {
	return s.OnNamed(example, Key{}, paths...)
}

// OnNamed is [Step.On] for the object with this key alone. An empty field of the key stands
// for any: Key{Name: "web"} is for every web, whatever its namespace.
func (s Step) OnNamed(example Object, key Key, paths ...string) Step {
	s.on = append(slices.Clip(s.on), dependency{example: example, key: key, paths: paths})
	return s
}

// NotOnResync has the step skipped in a call that a resync has led to, if nothing that it
// depends on is touched. Without it every step runs then, because a resync asks to look at
// everything: it finds what somebody has changed behind the operator's back, and mends what
// a skip has left undone by mistake. It is for a step that is expensive and looks at nothing
// but what it depends on.
func (s Step) NotOnResync() Step {
	s.notOnResync = true
	return s
}

// OnCause has the step run as well if the call has one of these causes, whatever changed. A step
// that has to run at intervals should not wait for [Timer]: events that come more often than the timer
// take its place each time. Have such a step depend on nothing, and compare the time in it.
func (s Step) OnCause(anyOf ...Cause) Step {
	for _, cause := range anyOf {
		s.causes = s.causes.with(cause)
	}
	return s
}

// Do runs the step if it has to run, and returns its error, which then names the step and
// the request. The name is what the step is counted by; see [Ledger.Steps]. It says what is
// done, and not to what: the names of a controller's steps are few. Steps of one name that depend on
// the same are told apart by their number in the call. So in a loop over things that come and go, say with
// OnNamed what each of them depends on.
func (s Step) Do(name string, do func(context.Context) error) (err error) {
	changes, steps := From(s.ctx), inside(s.ctx).steps
	if steps == nil {
		steps = &callSteps{before: everyStep}
	}
	if do == nil {
		do = func(context.Context) error { return errors.New("there is no function that does it") }
	}
	id := s.id(name)
	why, run := s.reason(&changes, steps.reach(id))
	if !run {
		steps.skip(name)
		return nil
	}
	begun := steps.begin(name, id, why)
	err = errStepLeft // which it stays in a panic
	defer func() { err = steps.end(begun, err) }()
	return do(s.ctx)
}

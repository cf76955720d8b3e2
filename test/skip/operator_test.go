package skip

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/internal/testing/promise"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// temper says how an operator does its work.
type temper uint8

const (
	// diligent does all its work at each call.
	diligent temper = iota
	// lazy does only the work that delta.From does not rule out.
	lazy
)

// String names the operator in stories.
func (t temper) String() string { return [...]string{"diligent", "lazy"}[t] }

// operator is a controller's reconciler with the outputs of its jobs. The outputs outlive the
// manager.
type operator struct {
	*world
	temper temper
	bell   chan event.GenericEvent
	life   *life

	mu       sync.Mutex // guards everything below
	calls    map[reconcile.Request]int
	calledAt time.Time // the last call for any request
	requests map[reconcile.Request]*knowledge
}

// knowledge is what is known about one request of an operator.
type knowledge struct {
	outputs map[piece]promise.Read // the results of the jobs
	reads   promise.Reads[piece]
	// shown are the newest states of each object that made each watch add the request.
	shown map[shownBy]sightings
	// success is when the last successful call began.
	success time.Time
	resyncs []time.Time // the times at which it was added for a resync since then
	// failed says that the last call has failed and has not settled its changes.
	failed bool
	// called is when the last call began, and added when the request was last added.
	called, added time.Time
	running       bool // there is a call now
	// owed are the steps that may not be skipped, and why: they failed, or a call succeeded that had not come to them.
	owed map[int]string
}

// piece is a job for one object. Where that did not exist, the version of a read is the newest one that it can be about.
type piece struct {
	job int
	id  objectID
}

func newOperator(w *world, how temper) *operator {
	return &operator{
		world: w, temper: how, bell: make(chan event.GenericEvent, 8),
		calls: map[reconcile.Request]int{}, requests: map[reconcile.Request]*knowledge{},
	}
}

// aboutLocked returns the memory of a request.
func (o *operator) aboutLocked(r reconcile.Request) *knowledge {
	m := o.requests[r]
	if m == nil {
		m = &knowledge{outputs: map[piece]promise.Read{}, shown: map[shownBy]sightings{}, owed: map[int]string{}}
		o.requests[r] = m
	}
	return m
}

// forget forgets what the watches have shown, because they begin again.
func (o *operator) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, m := range o.requests {
		m.shown, m.resyncs, m.added, m.failed = map[shownBy]sightings{}, nil, time.Time{}, false
	}
}

// call is one call of an operator.
type call struct {
	*operator
	request reconcile.Request
	number  int
	began   time.Time
	told    delta.Changes
	fate    fate
	in      *life
	passed  []*job // the steps that it did not come to
	away    bool   // it comes to no more steps
	stumped bool   // a step has failed
}

// fate is how a call ends.
type fate uint8

const (
	succeeds fate = iota
	fails
	failsForGood // with an error that is not tried again
	panics
	comesBack // with RequeueAfter
	comesSoon // with Requeue
	isSettled // Settle, whatever the result
	isKept    // Keep, with the result nil
	keptComes // Keep, with RequeueAfter
)

// String names the fate in stories.
func (f fate) String() string {
	return [...]string{
		"nil", "an error", "a terminal error", "a panic", "RequeueAfter", "Requeue", "Settle and an error", "Keep and nil", "Keep and RequeueAfter",
	}[f]
}

// wanted is the value of a panic that the world wants.
type wanted string

// Reconcile is called by the controller's workers.
func (o *operator) Reconcile(ctx context.Context, r reconcile.Request) (reconcile.Result, error) {
	o.mu.Lock()
	if o.life.dead.Load() {
		o.mu.Unlock()
		return reconcile.Result{}, errKilled
	}
	o.calls[r]++
	c := &call{operator: o, request: r, number: o.calls[r], began: time.Now(), in: o.life, told: delta.From(ctx)}
	m := o.aboutLocked(r)
	m.called, o.calledAt, m.running = c.began, c.began, true
	m.reads.Begin()
	o.mu.Unlock()
	c.fate = c.draw()
	o.note(func() string { return fmt.Sprintf("%s is told: %s", c, c.tale()) })
	c.judgeTold()
	o.count(func(n *counts) {
		n.calls++
		if c.told.Complete() {
			n.complete++
		}
		if c.told.Has(delta.Restart) {
			n.compared++
		}
	})
	left, err := c.work(ctx)
	c.hasFailed(err != nil || c.fate == fails || c.fate == failsForGood || c.fate == panics || c.stumped && c.fate == succeeds)
	if err != nil {
		o.note(func() string { return fmt.Sprintf("%s fails: %v", c, err) })
		return reconcile.Result{}, err
	}
	o.note(func() string { return fmt.Sprintf("%s ends with %s%s", c, c.fate, left) })
	return c.end(ctx)
}

func (c *call) hasFailed(failed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m := c.aboutLocked(c.request); !c.in.dead.Load() {
		m.failed, m.running = failed, false
	}
}

// String names the call in stories.
func (c *call) String() string {
	return fmt.Sprintf("%-8s %s/%s#%d", c.temper, c.request.Namespace, c.request.Name, c.number)
}

// roll rolls the dice for this call.
func (c *call) roll(sides int, about ...any) int {
	return c.dice.roll(sides, append([]any{"call", c.temper, c.request, c.number}, about...)...)
}

func (c *call) pause(most time.Duration, about ...any) {
	time.Sleep(time.Duration(1 + c.roll(int(most), about...)))
}

// draw decides how the call ends.
func (c *call) draw() fate {
	if c.calm.Load() {
		return succeeds
	}
	var fates []fate
	if c.has(failures) {
		fates = append(fates, fails, panics, failsForGood)
	}
	if c.has(postponements) {
		fates = append(fates, comesBack, comesBack, comesSoon, isSettled, isKept, keptComes)
	}
	if i := c.roll(max(10, 2*len(fates)), "fate"); i < len(fates) {
		return fates[i]
	}
	return succeeds
}

// mayLeave reports whether the call may leave work for later. It may if the library has to
// tell the changes again, and there will be another call.
func (c *call) mayLeave() bool {
	switch c.fate {
	case succeeds, isSettled:
		return false
	case failsForGood, isKept:
		return c.poked
	default:
		return c.has(postponements)
	}
}

// work does the jobs, and says which of them it has left for later.
func (c *call) work(ctx context.Context) (left string, err error) {
	c.pause(pickPause(c), "at first")
	first := c.roll(len(c.jobs)+1, "first")
	for i := range c.jobs {
		j := c.jobs[(first+i)%len(c.jobs)]
		do := c.do
		if c.temper == lazy {
			step := j.asks == askStep
			if step && c.passesBy(j) || !step && !c.mustDo(j) {
				continue
			}
			if c.mayLeave() && c.roll(2, "leave", j.n) == 0 {
				left += fmt.Sprintf(", leaving job %d", j.n)
				continue
			}
			if step {
				do = c.step
			}
		}
		if err := do(ctx, j); err != nil {
			return left, err
		}
		if c.roll(3, "pause", j.n) == 0 {
			c.pause(20*time.Millisecond, "after", j.n)
		}
	}
	return left, nil
}

// mustDo asks whether a job has to be done. It judges the answer if not.
func (c *call) mustDo(j *job) bool {
	needed := c.needs(j)
	c.count(func(n *counts) {
		n.asked++
		if !needed {
			n.skipped++
		}
	})
	if !needed {
		c.note(func() string { return fmt.Sprintf("%s skips %s", c, j) })
		c.judgeSkip(j)
	}
	return needed
}

// pickPause is how long a call waits before it reads anything.
func pickPause(c *call) time.Duration {
	return []time.Duration{time.Microsecond, 5 * time.Millisecond, 40 * time.Millisecond}[c.roll(3, "pace")]
}

// end ends the call, and returns its result.
func (c *call) end(ctx context.Context) (reconcile.Result, error) {
	again := reconcile.Result{RequeueAfter: c.dice.pause(100*time.Millisecond, "again", c.request, c.number)}
	err := errors.New("as the world wants it")
	switch c.fate {
	case fails:
		return reconcile.Result{}, err
	case failsForGood:
		return reconcile.Result{}, reconcile.TerminalError(err)
	case panics:
		panic(wanted("a reconciler"))
	case comesBack:
		return again, nil
	case comesSoon:
		return reconcile.Result{Requeue: true}, nil //nolint:staticcheck // while there is Requeue
	case isSettled:
		c.succeeded()
		delta.Settle(ctx)
		return reconcile.Result{}, err
	case isKept:
		delta.Keep(ctx)
		return reconcile.Result{}, nil
	case keptComes:
		delta.Keep(ctx)
		return again, nil
	default:
		c.succeeded()
		return reconcile.Result{}, nil
	}
}

// succeeded notes that the call has dealt with what it was told.
func (c *call) succeeded() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.in.dead.Load() || c.stumped {
		return
	}
	m := c.aboutLocked(c.request)
	m.success = c.began
	m.reads.Dealt()
	for _, j := range c.passed {
		m.owed[j.n] = "the last call that succeeded has not come to it"
	}
	if c.told.Has(delta.Resync) || !c.told.Complete() {
		for len(m.resyncs) > 0 && !m.resyncs[0].After(c.began.Add(c.slack)) {
			m.resyncs = m.resyncs[1:]
		}
	}
}

//go:build !race

package builder_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/queue/ctrlqueue"
)

// play is one way through a scope, as far as it has come.
type play struct {
	*scope
	*history
	server  int // the version that it is at
	stores  map[form]*shelf
	watches []*watch
	ledger  *delta.Ledger[reconcile.Request]
	inner   ctrlqueue.PriorityQueue[reconcile.Request]
	queue   priorityqueue.PriorityQueue[reconcile.Request] // the controller's
	told    reconcile.Reconciler
	worker  *thread
	running *thread // who is at it; nil between two steps, and while a kept queue is added to
	kept    []keptQueue
	landing *happening // what a kept queue is being added to for
	answer  answer     // what the reconciler is to return
	judge   *judge

	failures, relists, resyncs int // so far
	cancel                     context.CancelFunc
	over                       bool
}

// keptQueue is what a handler keeps, to add to it later.
type keptQueue struct {
	happening
	queue workqueue.TypedRateLimitingInterface[reconcile.Request]
}

// begin makes the world, in which the reconciler has succeeded with the first version.
func (s *scope) begin() *play {
	p := &play{
		scope: s, history: newHistory(s.moments), stores: map[form]*shelf{},
		inner: ctrlqueue.New[reconcile.Request](""),
		ledger: delta.NewLedger[reconcile.Request](delta.LedgerOptions{
			KindOf: func(obj delta.Object) (schema.GroupVersionKind, error) {
				return apiutil.GVKForObject(obj, scheme.Scheme)
			},
			Watches: func(schema.GroupVersionKind) bool { return true },
		}),
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	told, queue := builder.Record(reconcile.Func(p.reconcile), p.ledger, &steppedQueue{p.inner, p})
	p.told, p.queue = told, queue.(priorityqueue.PriorityQueue[reconcile.Request])
	p.worker = newThread(p.work)
	p.judge = newJudge(p)
	for i := range s.watches {
		p.watches = append(p.watches, p.newWatch(ctx, i))
	}
	p.server = 1
	p.judge.off = true
	for _, w := range p.watches {
		p.resume(w.thread)
		for w.thread.at != idle {
			p.resume(w.thread)
		}
	}
	for p.inner.Len() > 0 || p.worker.at != idle {
		p.resume(p.worker)
	}
	p.judge.off = false
	return p
}

func (p *play) end() {
	p.over = true
	for _, w := range p.watches {
		w.thread.end()
	}
	p.worker.end()
	p.cancel()
	p.inner.ShutDown()
	synctest.Wait()
}

// resume has a thread go on until it pauses.
func (p *play) resume(t *thread) {
	p.running = t
	t.next()
	p.running = nil
}

// pause is for the steps within what is one step where the scope is coarse.
func (p *play) pause(at string) {
	if p.fine && p.running != nil {
		p.running.pause(at)
	}
}

// work is what a worker of controller-runtime's does with one request.
func (p *play) work() {
	request, priority, _ := p.queue.GetWithPriority()
	defer p.queue.Done(request)
	p.pause("got")
	result, err := p.told.Reconcile(context.Background(), request)
	switch {
	case err != nil:
		p.pause("returned")
		p.queue.AddWithOpts(priorityqueue.AddOpts{RateLimited: true, Priority: &priority}, request)
		p.pause("asked again")
	case result.RequeueAfter > 0:
		p.pause("returned")
		p.queue.Forget(request)
		p.queue.AddWithOpts(priorityqueue.AddOpts{After: result.RequeueAfter, Priority: &priority}, request)
		p.pause("asked again")
	default:
		p.queue.Forget(request)
		p.pause("returned")
	}
}

// answer is what a reconciler returns, and says before.
type answer int

const (
	succeeds answer = iota
	fails
	asksAgain
	settlesAndAsks
	settlesAndFails
	keeps
)

var answers = [...]string{
	succeeds: "succeeds", fails: "fails", asksAgain: "asks again", settlesAndAsks: "settles and asks again",
	settlesAndFails: "settles and fails", keeps: "keeps",
}

// deals reports whether what was told is dealt with.
func (a answer) deals() bool { return a == succeeds || a == settlesAndAsks || a == settlesAndFails }

var errWanted = errors.New("as the test wants it")

func (p *play) reconcile(ctx context.Context, r reconcile.Request) (reconcile.Result, error) {
	if r != named("c") {
		return reconcile.Result{}, nil
	}
	p.judge.begin(ctx)
	p.worker.pause("calling")
	p.judge.end(p.answer)
	switch p.answer {
	case settlesAndAsks, settlesAndFails:
		delta.Settle(ctx)
	case keeps:
		delta.Keep(ctx)
	}
	switch p.answer {
	case fails, settlesAndFails:
		return reconcile.Result{}, errWanted
	case asksAgain, settlesAndAsks:
		return reconcile.Result{RequeueAfter: time.Minute}, nil
	default:
		return reconcile.Result{}, nil
	}
}

// say has the reconciler return.
func (p *play) say(a answer) {
	p.answer = a
	if a != succeeds {
		p.failures++
	}
	p.resume(p.worker)
}

// steppedQueue is the queue under the controller's, which is where threads can be stopped:
// what they add has been recorded, and has not landed.
type steppedQueue struct {
	priorityqueue.PriorityQueue[reconcile.Request]
	play *play
}

// Add adds in two steps.
func (q *steppedQueue) Add(r reconcile.Request) { q.step(r, func() { q.PriorityQueue.Add(r) }) }

// AddWithOpts adds in two steps.
func (q *steppedQueue) AddWithOpts(o priorityqueue.AddOpts, all ...reconcile.Request) {
	q.step(all[0], func() { q.PriorityQueue.AddWithOpts(o, all...) }) // one at a time is added here
}

func (q *steppedQueue) step(r reconcile.Request, add func()) {
	p := q.play
	switch {
	case p.over, p.running == p.worker:
		add()
		return
	case r != named("c"):
	case p.running == nil:
		p.judge.show(*p.landing)
	default:
		p.judge.show(*p.running.about)
	}
	p.pause("recorded")
	add()
	p.pause("added")
}

// step is something that can happen next, and who does it.
type step struct {
	name string
	do   func()
}

// steps are all of them, in an order that is always the same.
func (p *play) steps() []step {
	var all []step
	add := func(name string, do func()) { all = append(all, step{name, do}) }
	if p.server < p.last() {
		add("the server writes", func() { p.server++ })
	}
	for i, w := range p.watches {
		all = append(all, p.watchSteps(i, w)...)
	}
	for i, k := range p.kept {
		add(fmt.Sprintf("the queue for %d→%d is added to", k.from, k.to), func() {
			p.kept = slices.Delete(slices.Clone(p.kept), i, i+1)
			p.landing = &k.happening
			k.queue.Add(named("c"))
			p.landing = nil
		})
	}
	all = append(all, p.relistSteps()...)
	switch {
	case p.worker.at == "calling":
		for a := range answers {
			if a := answer(a); a == succeeds || p.failures < p.scope.failures {
				add("the call "+answers[a], func() { p.say(a) })
			}
		}
	case p.worker.at != idle, p.inner.Len() > 0:
		add("the worker goes on from "+strconv.Quote(p.worker.at), func() { p.resume(p.worker) })
	}
	if p.inner.Stats().Waiting > 0 {
		add("time passes", func() { time.Sleep(time.Hour) })
	}
	return all
}

// thread is one of those who act on their own. It runs until it pauses, and goes on when it
// is told to, so that a test decides about the order of everything.
type thread struct {
	at    string     // where it has paused
	about *happening // the event that it adds a request for; nil: none
	over  bool       // nobody will decide any more: it runs to its end

	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
}

// idle is where a thread pauses that has nothing under way.
const idle = "idle"

// newThread has body called again and again. It does not begin yet.
func newThread(body func()) *thread {
	t := &thread{at: idle}
	t.next, t.stop = iter.Pull(func(yield func(struct{}) bool) {
		t.yield = yield
		for !t.over {
			body()
			t.pause(idle)
		}
	})
	return t
}

// pause waits until the thread is told to go on.
func (t *thread) pause(at string) {
	if t.over {
		return
	}
	t.at = at
	t.over = !t.yield(struct{}{})
}

// end has the thread run to its end.
func (t *thread) end() {
	if t.yield == nil { // it has not begun
		t.over = true
	}
	t.stop()
}

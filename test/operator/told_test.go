package operator

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// informed is a reconciler that keeps a deployment for each widget. It fails at random, and
// remembers what it was told.
type informed struct {
	name    string // its field manager
	api     client.Client
	history *history

	mu    sync.Mutex // guards everything below
	rng   *rand.Rand
	calls map[string][]call // of each widget
}

// call is one call of the reconciler.
type call struct {
	attempt    int
	incomplete string // the reason; empty if it was complete
	told       []delta.Change
	spans      []span // of what was told; set by judge
	failed     bool
	kept       bool   // the next call should be told the same again
	newest     uint64 // the newest version in the history at the end of the call
}

// behave makes a manager call an informed reconciler.
func behave(t *testing.T, m manager.Manager, h *history, seed uint64) *informed {
	t.Helper()
	r := &informed{
		name: fmt.Sprint("operator-", seed), api: m.GetClient(), history: h,
		rng: rand.New(rand.NewPCG(seed, 1)), calls: map[string][]call{},
	}
	options := ourQueue()
	options.EnableWarmup = new(true)
	err := builder.ControllerManagedBy(m).Named("informed").
		For(&Widget{}).
		Owns(&appsv1.Deployment{}).
		Watches(&corev1.ConfigMap{}, handler.EnqueueRequestsFromMapFunc(widgetsOf)).
		WithOptions(options).
		Complete(r)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func widgetsOf(_ context.Context, obj client.Object) []reconcile.Request {
	var requests []reconcile.Request
	for name := range strings.SplitSeq(obj.GetAnnotations()[widgetsAnnotation], ",") {
		if name != "" {
			requests = append(requests, reconcile.Request{NamespacedName: types.NamespacedName{Namespace: obj.GetNamespace(), Name: name}})
		}
	}
	return requests
}

var errClumsy = errors.New("clumsy")

// Reconcile does its work, and fails at random in all possible ways.
func (r *informed) Reconcile(ctx context.Context, request reconcile.Request) (result reconcile.Result, err error) {
	changes := delta.From(ctx)
	c := call{attempt: changes.Attempt(), incomplete: changes.Incomplete(), failed: true, kept: true}
	for change := range changes.All() {
		c.told = append(c.told, change)
	}
	defer func() {
		c.newest = r.history.now()
		r.mu.Lock()
		defer r.mu.Unlock()
		r.calls[request.Name] = append(r.calls[request.Name], c)
	}()
	if err := r.work(ctx, request); err != nil {
		return reconcile.Result{}, err
	}
	switch p := r.dice(); {
	case p < 10:
		return reconcile.Result{}, errClumsy
	case p < 12:
		return reconcile.Result{}, reconcile.TerminalError(errClumsy)
	case p < 16:
		panic("very clumsy")
	case p < 26:
		c.failed = false
		if p < 21 {
			delta.Settle(ctx)
			c.kept = false
		}
		return reconcile.Result{RequeueAfter: time.Duration(1+p) * time.Millisecond}, nil
	}
	c.failed, c.kept = false, false
	return reconcile.Result{}, nil
}

func (r *informed) dice() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.rng.IntN(100)
}

// work creates the deployment if there is none, and sometimes writes to the widget.
func (r *informed) work(ctx context.Context, request reconcile.Request) error {
	widget := &Widget{}
	if err := r.api.Get(ctx, request.NamespacedName, widget); err != nil {
		return client.IgnoreNotFound(err)
	}
	if r.dice() < 10 {
		before := widget.DeepCopyObject().(client.Object)
		widget.Labels = map[string]string{"touched": string(uuid.NewUUID())} // so that it is a change
		if err := r.api.Patch(ctx, widget, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}), client.FieldOwner(r.name)); err != nil {
			return client.IgnoreNotFound(err)
		}
		if widget.ResourceVersion != before.GetResourceVersion() {
			r.history.wrote(r.name, widget)
		}
	}
	err := r.api.Get(ctx, request.NamespacedName, &appsv1.Deployment{})
	if !apierrors.IsNotFound(err) {
		return err
	}
	deployment := deploymentFor(request.NamespacedName)
	if err := controllerutil.SetControllerReference(widget, deployment, r.api.Scheme()); err != nil {
		return err
	}
	if err := r.api.Create(ctx, deployment, client.FieldOwner(r.name)); err != nil {
		return err // it may exist already, and the cache may not know that yet
	}
	r.history.wrote(r.name, deployment)
	return nil
}

func deploymentFor(key client.ObjectKey) *appsv1.Deployment {
	pods := map[string]string{"app": key.Name}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: pods},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: pods},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "example.com/app:1"}}},
			},
		},
	}
}

// judgement counts what a reconciler was told, and has what is wrong with it.
type judgement struct {
	truths     int // changes that have really happened
	steps      int // steps of the history that a reconciler was told, as it has to be
	unknown    int // steps that it was not told, but it was told that some may be missing
	incomplete int // calls with incomplete changes
	own        int // changes that are its own writes
	managers   int // changes with a writer that the change and the history both know
	wrong      []string
}

func (j *judgement) fault(format string, args ...any) {
	if len(j.wrong) < 10 {
		j.wrong = append(j.wrong, fmt.Sprintf(format, args...))
	}
}

// judge compares everything that the reconciler was told with what happened in a period.
func (r *informed) judge(in period) *judgement {
	r.mu.Lock()
	defer r.mu.Unlock()
	j := &judgement{}
	for widget, calls := range r.calls {
		for i := range calls {
			calls[i].spans = r.truth(j, widget, &calls[i])
			if i > 0 {
				chain(j, widget, &calls[i-1], &calls[i])
			}
			if calls[i].incomplete != "" {
				j.incomplete++
			}
		}
		r.complete(j, widget, in)
	}
	return j
}

// truth checks that each change has happened in the way that it was told, and is for the
// widget.
func (r *informed) truth(j *judgement, widget string, c *call) (spans []span) {
	for _, change := range c.told {
		if change.Object() == nil {
			retried := change.Cause == delta.Retry
			if retried != (c.attempt > 1) || !retried && change.Cause != delta.Timer {
				j.fault("%s, attempt %d: %s", widget, c.attempt, c.told)
			}
			continue
		}
		s, err := r.history.spanOf(change)
		switch want := causeOf[change.Kind.Kind]; {
		case err != nil:
			j.fault("%s was told %s: it %v", widget, change, err)
			continue
		case change.Cause != want && change.Cause != delta.InitialList:
			j.fault("%s was told %s, and the cause should be %s", widget, change, want)
		case !r.history.concerns(s, widget):
			j.fault("%s was told %s, which is not for it", widget, change)
		case change.Last.Before(change.First) || change.First.IsZero():
			j.fault("%s was told %s, first seen %v and last %v", widget, change, change.First, change.Last)
		}
		r.writer(j, change)
		j.truths++
		spans = append(spans, s)
	}
	return spans
}

var causeOf = map[string]delta.Cause{"Widget": delta.Primary, "Deployment": delta.Owned, "ConfigMap": delta.Mapped}

// writer checks the writer that a change names.
func (r *informed) writer(j *judgement, c delta.Change) {
	if c.Op != delta.Updated && c.Op != delta.Added || c.Cause == delta.InitialList {
		return
	}
	really := r.history.by(c.New)
	if said := c.Manager(); said != "" && really != "" {
		j.managers++
		if said != really {
			j.fault("%s was written by %s", c, really)
		}
	}
	if c.Own() && really != r.name || !c.Own() && really == r.name && c.Deltas == 1 && !c.Relisted {
		j.fault("%s: Own is %t, and the writer is %q", c, c.Own(), really)
	}
	if c.Own() {
		j.own++
	}
}

// chain checks that the changes of a call are told again if it failed or did not finish, and
// only then.
func chain(j *judgement, widget string, first, second *call) {
	want := 1
	if first.failed {
		want = first.attempt + 1
	}
	if second.attempt != want {
		j.fault("%s: attempt %d is followed by %d (failed: %t)", widget, first.attempt, second.attempt, first.failed)
	}
	if timer := second.told; !first.kept && len(timer) > 1 && timer[0].Cause == delta.Timer {
		j.fault("%s: nothing was left to do, and a timer came with other changes: %s", widget, second.told)
	}
	for _, s := range first.spans {
		again := false
		for _, next := range second.spans {
			again = again || next.covers(s)
			if !first.kept && next.of == s.of && next.from < s.to && next.from > 0 {
				j.fault("%s: was told %v, succeeded, and was told %v again", widget, s, next)
			}
		}
		if first.kept && !again && second.incomplete == "" {
			j.fault("%s: was not done with %v, and was told only %v", widget, s, second.spans)
		}
	}
}

// complete checks that no step is missing, except where a call was told that some may be
// missing.
func (r *informed) complete(j *judgement, widget string, in period) {
	var excused uint64
	var told []span
	for _, c := range r.calls[widget] {
		told = append(told, c.spans...)
		if c.incomplete != "" {
			excused = c.newest
		}
	}
	for _, step := range r.history.events(widget, in) {
		switch found := coveredBy(told, step); {
		case found:
			j.steps++
		case step.to <= excused:
			j.unknown++
		default:
			j.fault("%s was not told %v", widget, step)
		}
	}
}

func coveredBy(told []span, step span) bool {
	for _, s := range told {
		if s.covers(step) {
			return true
		}
	}
	return false
}

package canary

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	drpredicate "github.com/delta-runtime/delta-runtime/pkg/predicate"
	"github.com/delta-runtime/delta-runtime/pkg/queue/ctrlqueue"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
	"github.com/delta-runtime/delta-runtime/pkg/source"
)

// queues are those of the controllers.
type queues struct {
	mu  sync.Mutex // guards all
	all []ctrlqueue.Inspectable[reconcile.Request]
}

// make is a NewQueue that keeps what it makes.
func (q *queues) make(name string, limiter workqueue.TypedRateLimiter[reconcile.Request]) workqueue.TypedRateLimitingInterface[reconcile.Request] {
	made := ctrlqueue.NewQueue(name, limiter)
	q.mu.Lock()
	defer q.mu.Unlock()
	if inspectable, ok := ctrlqueue.Inspect[reconcile.Request](made); ok {
		q.all = append(q.all, inspectable)
	}
	return made
}

// contents prints what the queues hold.
func (q *queues) contents(ctx context.Context, v voice) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, one := range q.all {
		v.say(ctx, one.Stats())
		for _, entry := range one.Contents(100) {
			v.say(ctx, entry)
		}
	}
}

// control has controllers watch Secrets in each form, and everything that can be said about them.
func (o *operator) control(t *testing.T) {
	t.Helper()
	options := controller.Options{NewQueue: o.queues.make}
	own := func(name string) *builder.Builder {
		return builder.ControllerManagedBy(o.Manager).Named(name).WithOptions(options).WithCauseLog(0)
	}
	deltas := source.NewDeltas(o.GetCache(), client.Object(&corev1.Secret{}), o.told, informer.SubscribeOptions{})
	err := errors.Join(
		own("objects").For(&corev1.Secret{}, builder.WithPredicates(o.predicates()...)).
			WithResync(resync.Policy{Period: time.Second}).Complete(o.reconciler("objects")),
		own("maps").For(asMap()).WithResync(resync.Policy{Period: time.Second, Spread: resync.OverPeriod}).
			Complete(o.reconciler("maps")),
		own("metadata").For(&corev1.Secret{}, builder.OnlyMetadata).Complete(o.reconciler("metadata")),
		own("owners").For(&corev1.ConfigMap{}).Owns(&corev1.Secret{}).WithPaths(&corev1.Secret{}, "data").
			Complete(o.reconciler("owners")),
		own("selfish").For(&corev1.Secret{}, builder.WithPredicates(named("sealed-selfish"))).
			WithResync(resync.Policy{Period: resync.Never}).Complete(reconcile.Func(o.writes)),
		own("contested").For(&corev1.Secret{}, builder.WithPredicates(named("sealed-contested"))).
			Complete(reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) { return reconcile.Result{}, nil })),
		own("custom").For(newCustom()).Complete(o.reconciler("custom")),
		own("handlers").For(&corev1.ConfigMap{}).Watches(&corev1.Secret{}, o.handler()).WatchesRawSource(deltas).
			Complete(o.reconciler("handlers")),
	)
	must(t, err)
}

// predicates of an operator. One panics, and others ask for fields that no Secret has.
func (o *operator) predicates() []predicate.Predicate {
	return []predicate.Predicate{
		predicate.NewPredicateFuncs(func(about client.Object) bool {
			if about.GetName() == "sealed-predicate" {
				panic("the predicate stumbles over " + about.GetName())
			}
			return true
		}),
		predicate.Or(drpredicate.ChangedAt("data", "metadata"), drpredicate.ChangedAt("data.password.nothing"), drpredicate.NotResync()),
	}
}

// handler is a user's own. It panics at one Secret.
func (o *operator) handler() handler.EventHandler {
	return handler.Funcs{
		CreateFunc: func(_ context.Context, e event.CreateEvent, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) {
			if e.Object.GetName() == "sealed-handler" {
				panic("the handler stumbles over " + e.Object.GetName())
			}
			queue.Add(reconcile.Request{NamespacedName: client.ObjectKeyFromObject(e.Object)})
		},
		UpdateFunc: func(_ context.Context, e event.UpdateEvent, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) {
			queue.Add(reconcile.Request{NamespacedName: client.ObjectKeyFromObject(e.ObjectNew)})
		},
	}
}

// told is told each delta.
func (o *operator) told(ctx context.Context, d delta.Delta[client.Object], queue workqueue.TypedRateLimitingInterface[reconcile.Request]) {
	o.voice.say(ctx, d, &d)
	queue.Add(reconcile.Request{NamespacedName: client.ObjectKey{Namespace: d.Key.Namespace, Name: d.Key.Name}})
}

// reconciler says all that it can find out.
func (o *operator) reconciler(name string) reconcile.Func {
	return func(ctx context.Context, r reconcile.Request) (reconcile.Result, error) {
		changes := delta.From(ctx)
		o.voice.say(ctx, changes)
		touched := changes.Touches("data.password.deep", "data[password]", `metadata.annotations[note]`, "metadata.managedFields", "spec.list", "no[")
		log.FromContext(ctx).Info("told", "changes", changes, "touched", touched, "incomplete", changes.Incomplete())
		for c := range changes.All() {
			o.voice.say(ctx, c.Diff().Err())
		}
		err := o.plan(ctx, r)
		o.voice.say(ctx, err, delta.Steps(ctx))
		for _, step := range delta.Steps(ctx) {
			o.voice.say(ctx, step)
		}
		o.noted(name, r.Name)
		if name == "objects" {
			err = errors.Join(err, o.act(ctx, r))
		}
		return reconcile.Result{}, err
	}
}

// plan has steps that depend on Secrets. One fails for some of them.
func (o *operator) plan(ctx context.Context, r reconcile.Request) error {
	key := delta.Key{Namespace: r.Namespace, Name: r.Name}
	return errors.Join(
		delta.Plan(ctx).On(&corev1.Secret{}, "data", "stringData").Do("roll out", func(context.Context) error { return nil }),
		delta.Plan(ctx).On(&corev1.Secret{}, "data.nothing.here").Do("misspelt", func(context.Context) error { return nil }),
		delta.Plan(ctx).OnNamed(&corev1.Secret{}, key, "data[password]").Do("named", func(ctx context.Context) error {
			if r.Name == "sealed-failing" {
				return fmt.Errorf("roll out because of %v, %+v", delta.From(ctx), delta.Steps(ctx))
			}
			return nil
		}),
	)
}

// act does what the name of a Secret asks for.
func (o *operator) act(ctx context.Context, r reconcile.Request) error {
	switch r.Name {
	case "sealed-failing":
		return fmt.Errorf("reconcile %s, told %v: %w", r, delta.From(ctx), errors.New("it is broken"))
	case "sealed-panic":
		panic(fmt.Sprintf("the reconciler of %s, told %+v, stumbles", r, delta.From(ctx)))
	}
	return nil
}

func named(name string) predicate.Predicate {
	return predicate.NewPredicateFuncs(func(about client.Object) bool { return about.GetName() == name })
}

// writes is a reconciler that is called for what it writes.
func (o *operator) writes(ctx context.Context, r reconcile.Request) (reconcile.Result, error) {
	if o.content.Load() {
		return reconcile.Result{}, nil
	}
	about := &corev1.Secret{}
	if err := o.GetAPIReader().Get(ctx, r.NamespacedName, about); err != nil {
		return reconcile.Result{}, err
	}
	about.Data = map[string][]byte{"password": []byte(o.hunt.plant("what the reconciler writes"))}
	return reconcile.Result{}, o.GetClient().Update(ctx, about)
}

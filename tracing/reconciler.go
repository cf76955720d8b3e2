package tracing

import (
	"cmp"
	"context"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/trace"
	"k8s.io/utils/lru"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// scope is the name of what makes these spans.
const scope = "github.com/delta-runtime/delta-runtime/tracing"

// Options are settings of a reconciler with spans. The zero value works.
type Options struct {
	// Controller is the controller's name. Its spans have this name, and so have those of the
	// dashboards that are made of them. By default it is "controller".
	Controller string
	// Provider makes the spans. By default that is the one that otel.SetTracerProvider has set when
	// Reconciler is called.
	Provider trace.TracerProvider
}

// Reconciler returns a reconciler that makes spans of the calls of another one. Give it to the
// builder in its place:
//
//	builder.ControllerManagedBy(mgr).Named("site").For(&webv1.Site{}).
//		Complete(tracing.Reconciler(r, tracing.Options{Controller: "site"}))
//
// What a call is told of is known with our builder. With another one a span begins when
// the reconciler is called. A call that the provider does not sample costs no more than asking it.
func Reconciler[R comparable](to reconcile.TypedReconciler[R], opts Options) reconcile.TypedReconciler[R] {
	if to == nil {
		return nil // the builder says what is wrong
	}
	if opts.Provider == nil {
		opts.Provider = otel.GetTracerProvider()
	}
	return &traced[R]{
		to: to, name: cmp.Or(opts.Controller, "controller"), tracer: opts.Provider.Tracer(scope),
		unfinished: lru.New(maxUnfinished),
	}
}

// traced is a reconciler with spans.
type traced[R comparable] struct {
	to         reconcile.TypedReconciler[R]
	name       string
	tracer     trace.Tracer
	unfinished *lru.Cache // the last call of each request that has not succeeded, an attempt
}

// maxUnfinished is how many requests are remembered whose last call has not succeeded. If there
// are more, the next calls of some have no link.
const maxUnfinished = 1000

// attempt is a call that has not succeeded.
type attempt struct {
	span  trace.SpanContext
	ended time.Time
}

// last returns the last call of a request, if that has not succeeded.
func (t *traced[R]) last(request R) (attempt, bool) {
	found, _ := t.unfinished.Get(request)
	a, there := found.(attempt)
	return a, there
}

// Reconcile is for the controller's workers.
func (t *traced[R]) Reconcile(ctx context.Context, request R) (reconcile.Result, error) {
	told, now := delta.From(ctx), time.Now()
	var links []trace.Link
	if a, again := t.last(request); again {
		links = []trace.Link{{SpanContext: a.span, Attributes: previousAttempt}}
	}
	whole, all := t.tracer.Start(ctx, t.name, trace.WithTimestamp(beganWith(told, now)), trace.WithSpanKind(trace.SpanKindConsumer),
		trace.WithAttributes(aboutRequest(t.name, request)...), trace.WithLinks(links...))
	if !all.IsRecording() {
		defer t.unfinished.Remove(request) // the next call does not go on with the one that is remembered
		return t.to.Reconcile(whole, request)
	}
	inner, work := t.tracer.Start(whole, "reconcile", trace.WithTimestamp(now))
	c := call[R]{traced: t, request: request, whole: whole, all: all, inner: inner, work: work, told: told, began: now, panicked: true}
	defer c.end()
	c.result, c.err = t.to.Reconcile(withTraceID(inner, work), request)
	c.panicked = false
	return c.result, c.err
}

// beganWith returns when the first of the changes was seen. It is now if that is not known.
func beganWith(told delta.Changes, now time.Time) time.Time {
	first := now
	for c := range told.All() {
		if !c.First.IsZero() && c.First.Before(first) {
			first = c.First
		}
	}
	return first
}

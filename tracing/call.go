package tracing

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/internal/inspect/journal"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// call is a call of a reconciler, with its spans.
type call[R comparable] struct {
	*traced[R]
	request R
	whole   context.Context // of the span of all
	all     trace.Span
	inner   context.Context // of the span of the work
	work    trace.Span
	told    delta.Changes
	began   time.Time

	result   reconcile.Result
	err      error
	panicked bool
}

// end ends all spans of the call. All that takes time is done here, so that the reconciler
// reads what it was told of.
func (c *call[R]) end() {
	now := time.Now()
	previous, again := c.last(c.request)
	since := beganWith(c.told, c.began)
	if again && previous.ended.After(since) {
		since = previous.ended // it waited for its back-off, or for what the reconciler asked for
	}
	_, wait := c.tracer.Start(c.whole, "wait", trace.WithTimestamp(since))
	wait.End(trace.WithTimestamp(c.began))
	failed := c.steps()
	c.changes()
	if c.err == nil {
		c.err = failed // as the builder has it: a step that failed is tried again
	}
	result := c.outcome()
	c.all.SetAttributes(attribute.String("delta.result", result.String()))
	c.work.End(trace.WithTimestamp(now))
	c.all.End(trace.WithTimestamp(now))
	if result == journal.Success {
		c.unfinished.Remove(c.request)
	} else {
		c.unfinished.Add(c.request, attempt{c.all.SpanContext(), now})
	}
}

// outcome returns what the call came to, and says so in the spans if it is an error.
func (c *call[R]) outcome() journal.Result {
	switch {
	case c.panicked:
		c.all.SetStatus(codes.Error, "the reconciler panicked")
		c.work.SetStatus(codes.Error, "the reconciler panicked")
		return journal.Panic
	case c.err != nil:
		c.all.SetStatus(codes.Error, c.err.Error())
		c.work.SetStatus(codes.Error, c.err.Error())
		return journal.Error
	case c.result.RequeueAfter > 0:
		c.all.SetAttributes(attribute.Float64("delta.requeue_after_seconds", c.result.RequeueAfter.Seconds()))
		return journal.Requeue
	case c.result.Requeue: //nolint:staticcheck // as long as there is Requeue, reconcilers return it
		return journal.Requeue
	default:
		return journal.Success
	}
}

// steps makes a span of each step that ran, and names those that did not have to. It returns the
// errors of those that failed.
func (c *call[R]) steps() error {
	var skipped []string
	var failed []error
	for _, s := range delta.Steps(c.inner) {
		if s.Skipped {
			skipped = append(skipped, s.Name)
			continue
		}
		_, span := c.tracer.Start(c.inner, "step "+s.Name, trace.WithTimestamp(s.Began), trace.WithAttributes(attribute.String("delta.because", s.Because())))
		if s.Err != nil {
			span.SetStatus(codes.Error, s.Err.Error())
			failed = append(failed, s.Err)
		}
		span.End(trace.WithTimestamp(s.Began.Add(s.Took)))
	}
	if skipped != nil {
		c.work.SetAttributes(attribute.StringSlice("delta.steps.skipped", skipped))
	}
	return errors.Join(failed...)
}

// maxEvents is how many changes of a call are shown. All of them are counted.
const maxEvents = 32

// changes says what the call was told of.
func (c *call[R]) changes() {
	c.all.SetAttributes(attribute.Int("delta.changes", c.told.Len()), attribute.Int("delta.attempt", c.told.Attempt()))
	if !c.told.Complete() {
		c.all.SetAttributes(attribute.String("delta.incomplete", c.told.Incomplete()))
	}
	var causes []string
	shown := 0
	for change := range c.told.All() {
		if cause := change.Cause.String(); !slices.Contains(causes, cause) {
			causes = append(causes, cause)
		}
		if shown == maxEvents {
			continue
		}
		shown++
		c.all.AddEvent("delta", trace.WithTimestamp(change.First), trace.WithAttributes(aboutChange(&change)...))
	}
	c.all.SetAttributes(attribute.StringSlice("delta.causes", causes))
}

// withTraceID has the context's logger say which trace a line belongs to.
func withTraceID(ctx context.Context, span trace.Span) context.Context {
	log, err := logr.FromContext(ctx)
	if err != nil {
		return ctx
	}
	return logr.NewContext(ctx, log.WithValues("traceID", span.SpanContext().TraceID().String()))
}

package tracing_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/tracing"
)

// control adds a controller of a kind in the world's namespace, with spans.
func (w *world) control(t *testing.T, kind client.Object, r *recorder, reconciler reconcile.Func) {
	t.Helper()
	here := predicate.NewPredicateFuncs(func(o client.Object) bool { return o.GetNamespace() == w.namespace })
	err := builder.ControllerManagedBy(w).Named("settings").For(kind).WithEventFilter(here).
		Complete(tracing.Reconciler(reconciler, tracing.Options{Controller: "settings", Provider: r.provider}))
	if err != nil {
		t.Fatal(err)
	}
}

// last waits for the spans of a number of calls, and returns that of the last one.
func (r *recorder) last(t *testing.T, calls int) tracetest.SpanStub {
	t.Helper()
	await.Success(t, fmt.Sprint(calls, " calls"), func() error {
		if got := len(r.named("settings")); got < calls {
			return fmt.Errorf("there are %d", got)
		}
		return nil
	})
	return r.named("settings")[calls-1]
}

// TestFromTheDeltaToTheEnd edits an object, and follows the edit through the spans.
func TestFromTheDeltaToTheEnd(t *testing.T) {
	w, r := newWorld(t), newRecorder(t, sdktrace.AlwaysSample())
	var first, began, ended atomic.Pointer[time.Time]
	mine := r.provider.Tracer("mine")
	w.control(t, &corev1.ConfigMap{}, r, func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
		for c := range delta.From(ctx).All() {
			first.Store(&c.First)
		}
		_, span := mine.Start(ctx, "my own")
		span.End()
		plan := delta.Plan(ctx)
		err := plan.On(&corev1.ConfigMap{}, "data").Do("copy", func(context.Context) error {
			began.Store(new(time.Now()))
			for time.Since(*began.Load()) < 5*time.Millisecond {
				runtime.Gosched()
			}
			ended.Store(new(time.Now()))
			return nil
		})
		return reconcile.Result{}, errors.Join(err, plan.On(&corev1.ConfigMap{}, "binaryData").Do("pack", func(context.Context) error { return nil }))
	})
	w.start(t)
	about := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "colors"}, Data: map[string]string{"sky": "blue"}}
	if err := w.api.Create(t.Context(), about, client.FieldOwner("alice")); err != nil {
		t.Fatal(err)
	}
	if made := r.last(t, 1).Events; len(made) != 1 || said(made[0].Attributes, "delta.op") != "Added" || said(made[0].Attributes, "delta.paths") != "" {
		t.Errorf("the events of the new object are %+v", made)
	}
	made := about.ManagedFields[0].Time.Time
	await.Until(t, "another second", func() bool { return time.Since(made) > 1100*time.Millisecond }) // managed fields have whole seconds, and say who was last by that
	about.Data["sky"] = "red"
	if err := w.api.Update(t.Context(), about, client.FieldOwner("bob")); err != nil {
		t.Fatal(err)
	}
	all := r.last(t, 2)
	if !all.StartTime.Equal(*first.Load()) || all.Parent.IsValid() || all.Status.Code != codes.Unset || len(all.Links) != 0 {
		t.Errorf("the span of all is %+v, want one from %v on", all, first.Load())
	}
	for of, want := range map[string]string{
		"delta.controller": "settings", "delta.request": w.namespace + "/colors", "k8s.namespace.name": w.namespace,
		"delta.changes": "1", "delta.attempt": "1", "delta.causes": `["Primary"]`, "delta.result": "success", "delta.incomplete": "",
	} {
		if got := said(all.Attributes, of); got != want {
			t.Errorf("the span of all has %s=%s, want %s", of, got, want)
		}
	}
	if len(all.Events) != 1 || all.Events[0].Name != "delta" || !all.Events[0].Time.Equal(*first.Load()) {
		t.Fatalf("the events are %+v", all.Events)
	}
	for of, want := range map[string]string{
		"delta.cause": "Primary", "delta.kind": "ConfigMap", "delta.api_version": "v1", "delta.object": w.namespace + "/colors",
		"delta.op": "Updated", "delta.manager": "bob", "delta.paths": `["data[sky]"]`, "delta.deltas": "1",
	} {
		if got := said(all.Events[0].Attributes, of); got != want {
			t.Errorf("the event has %s=%s, want %s", of, got, want)
		}
	}
	wait, work := r.part(t, all, "wait"), r.part(t, all, "reconcile")
	if !wait.StartTime.Equal(all.StartTime) || !wait.EndTime.Equal(work.StartTime) || !work.EndTime.Equal(all.EndTime) {
		t.Errorf("all from %v to %v, wait from %v to %v, reconcile from %v to %v", all.StartTime, all.EndTime, wait.StartTime, wait.EndTime, work.StartTime, work.EndTime)
	}
	step := r.part(t, work, "step copy")
	if step.StartTime.After(*began.Load()) || step.EndTime.Before(*ended.Load()) || step.StartTime.Before(work.StartTime) || step.EndTime.After(work.EndTime) {
		t.Errorf("the step goes from %v to %v", step.StartTime, step.EndTime)
	}
	if skipped := said(work.Attributes, "delta.steps.skipped"); skipped != `["pack"]` {
		t.Errorf("the steps skipped are %s", skipped)
	}
	r.part(t, work, "my own")
}

// TestAttemptsAreLinked fails twice, and then panics once.
func TestAttemptsAreLinked(t *testing.T) {
	w, r := newWorld(t), newRecorder(t, sdktrace.AlwaysSample())
	calls := 0
	w.control(t, &corev1.ConfigMap{}, r, func(context.Context, reconcile.Request) (reconcile.Result, error) {
		calls++ // by one worker
		switch calls {
		case 1:
			return reconcile.Result{}, errors.New("it is broken")
		case 2:
			return reconcile.Result{RequeueAfter: 10 * time.Millisecond}, nil
		case 3:
			panic("it is very broken")
		default:
			return reconcile.Result{}, nil
		}
	})
	w.start(t)
	about := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "colors"}}
	if err := w.api.Create(t.Context(), about); err != nil {
		t.Fatal(err)
	}
	r.last(t, 4)
	about.Data = map[string]string{"sky": "red"}
	if err := w.api.Update(t.Context(), about); err != nil {
		t.Fatal(err)
	}
	r.last(t, 5)
	spans := r.named("settings")
	for i, want := range []struct{ result, status string }{
		{"error", "it is broken"}, {"requeue", ""}, {"panic", "the reconciler panicked"}, {"success", ""}, {"success", ""},
	} {
		s := spans[i]
		linked := 0 < i && i < 4 // to a call that has not succeeded
		if said(s.Attributes, "delta.result") != want.result || s.Status.Description != want.status || (s.Status.Code == codes.Error) != (want.status != "") || len(s.Links) == 1 != linked {
			t.Errorf("call %d has the span %+v, want the result %s, the status %q, a link: %t", i+1, s, want.result, want.status, linked)
		}
		if linked && s.Links[0].SpanContext.SpanID() != spans[i-1].SpanContext.SpanID() {
			t.Errorf("call %d has a link to %v, want %v", i+1, s.Links[0].SpanContext, spans[i-1].SpanContext)
		}
		if wait := r.part(t, s, "wait"); linked && wait.StartTime.Before(spans[i-1].EndTime) {
			t.Errorf("call %d waits since %v, and the one before ended at %v", i+1, wait.StartTime, spans[i-1].EndTime)
		}
	}
}

// canary is a value that only a Secret has.
const canary = "canary-52c1e"

// TestSecretsAreInNoSpan writes Secrets, and looks for their values in all that was recorded.
func TestSecretsAreInNoSpan(t *testing.T) {
	w, r := newWorld(t), newRecorder(t, sdktrace.AlwaysSample())
	w.control(t, &corev1.Secret{}, r, func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
		return reconcile.Result{}, delta.Plan(ctx).On(&corev1.Secret{}, "data", "metadata.annotations").Do("copy", func(ctx context.Context) error {
			return fmt.Errorf("can't copy %v", delta.From(ctx))
		})
	})
	w.start(t)
	about := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "password", Annotations: map[string]string{"note": canary}},
		Data:       map[string][]byte{"password": []byte(canary)},
	}
	if err := w.api.Create(t.Context(), about); err != nil {
		t.Fatal(err)
	}
	r.last(t, 1)
	about.Annotations["note"], about.Data["password"] = canary+"-2", []byte(canary+"-2")
	if err := w.api.Update(t.Context(), about); err != nil {
		t.Fatal(err)
	}
	await.Until(t, "an attempt that was told of the edit", func() bool {
		text, err := json.Marshal(r.exporter.GetSpans())
		return err == nil && strings.Contains(string(text), "data[password]")
	})
	text, err := json.Marshal(r.exporter.GetSpans())
	if err != nil {
		t.Fatal(err)
	}
	for _, leak := range []string{canary, "Y2FuYXJ5LTUyYzFl"} {
		if strings.Contains(string(text), leak) {
			t.Errorf("the spans have %s", leak)
		}
	}
}

// TestWhoeverDoesNotSampleGetsNothing has a provider that samples nothing.
func TestWhoeverDoesNotSampleGetsNothing(t *testing.T) {
	r := newRecorder(t, sdktrace.NeverSample())
	called := tracing.Reconciler(reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) {
		return reconcile.Result{RequeueAfter: time.Hour}, nil
	}), tracing.Options{Provider: r.provider})
	for range 3 {
		if result, err := called.Reconcile(t.Context(), reconcile.Request{}); err != nil || result.RequeueAfter != time.Hour {
			t.Errorf("the reconciler returned %v, %v", result, err)
		}
	}
	if all := r.exporter.GetSpans(); len(all) > 0 {
		t.Errorf("there are the spans %v", all)
	}
	if tracing.Reconciler[reconcile.Request](nil, tracing.Options{}) != nil {
		t.Error("a reconciler that is nil became one")
	}
}

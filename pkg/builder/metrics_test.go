package builder_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/internal/inspect/journal"
	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/internal/managed"
	"github.com/delta-runtime/delta-runtime/internal/testing/scrape"
	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// TestMetricsOfAController has a controller called for several causes, and scrapes.
func TestMetricsOfAController(t *testing.T) {
	var of *managed.Runtime
	inWorld(t, func(t *testing.T, w *world) {
		w.servers[configMap].Add(newObject(configMap, "there"))
		synctest.Wait()
		var failed atomic.Bool
		reconciler := reconcile.Func(func(ctx context.Context, r reconcile.Request) (reconcile.Result, error) {
			if err := delta.Plan(ctx).On(&corev1.ConfigMap{}, "data").Do("copy", func(context.Context) error { return nil }); err != nil {
				return reconcile.Result{}, err
			}
			if r.Name == "new" && !failed.Swap(true) {
				return reconcile.Result{}, errors.New("once")
			}
			return reconcile.Result{}, nil
		})
		must(t, builder.ControllerManagedBy(w.manager).Named("measured").For(&corev1.ConfigMap{}).
			Owns(&corev1.Pod{}, builder.WithPredicates(predicate.Funcs{DeleteFunc: func(event.DeleteEvent) bool { return false }})).
			Complete(reconciler))
		w.start()
		w.servers[configMap].Add(newObject(configMap, "new"))
		w.servers[pod].Add(newObject(pod, "p", "there"))
		synctest.Wait()
		w.servers[pod].Delete(newObject(pod, "p", "there"))
		synctest.Wait()

		got := scrape.Read(t, metrics.Registry, "delta_")
		for series, want := range map[string]float64{
			`delta_reconcile_causes_total{cause="InitialList",controller="measured"}`:      1,
			`delta_reconcile_causes_total{cause="Owned",controller="measured"}`:            1,
			`delta_reconcile_incomplete_total{controller="measured",reason="InitialList"}`: 1,
			`delta_event_to_reconcile_seconds_count{controller="measured"}`:                2,
			`delta_event_to_reconcile_seconds_bucket{controller="measured",le="100"}`:      2,
			`delta_events_held_back_total{controller="measured"}`:                          1,
			`delta_steps_total{controller="measured",result="skipped",step="copy"}`:        1,
			`delta_steps_total{controller="measured",result="failed",step="copy"}`:         0,
			`delta_queue_delayed_requests{controller="measured"}`:                          1,
			`delta_ledger_overflows_total{controller="measured"}`:                          0,
		} {
			if got[series] != want {
				t.Errorf("%s is %v, want %v", series, got[series], want)
			}
			if _, there := got[series]; !there {
				t.Errorf("%s is missing", series)
			}
		}
		if t.Failed() {
			for series, value := range got {
				if !strings.Contains(series, "_bucket") {
					t.Log(series, value)
				}
			}
		}
		of = w.manager.runtime
		forgetTheFailure(t, of.Controllers()[0])
	})
	if shown := len(of.Controllers()); shown != 0 {
		t.Errorf("%d controllers are shown, and all have ended", shown)
	}
}

// forgetTheFailure has the request called that waits to be tried again.
func forgetTheFailure(t *testing.T, c *observe.Controller) {
	t.Helper()
	key := delta.Key{Namespace: team, Name: "new"}
	entries := c.Requests.Contents(10)
	if len(entries) != 1 || entries[0].Key != key || entries[0].Due.IsZero() || entries[0].Attempts != 1 {
		t.Fatalf("the queue has %+v, want new, delayed after one attempt", entries)
	}
	if waits := c.Requests.Waiting(key); !waits.Has(delta.Primary) || waits.Attempt() != 2 {
		t.Errorf("it waits with %v for attempt %d", waits, waits.Attempt())
	}
	if !c.Requests.Forget(key) {
		t.Error("Forget says that the request was not delayed")
	}
	synctest.Wait()
	if _, succeeded := c.Requests.LastSuccess(key); !succeeded || len(c.Requests.Contents(10)) != 0 {
		t.Errorf("after Forget it has succeeded: %v, and the queue has %+v", succeeded, c.Requests.Contents(10))
	}
	if c.Requests.Cancel(key) || c.Requests.Forget(key) {
		t.Error("Cancel or Forget found a delayed add, and there is none")
	}
	counts := c.Calls.Read()
	if counts.Results[journal.Error] != 1 || counts.Results[journal.Success] != 3 || counts.Causes[delta.Retry] != 1 {
		t.Errorf("the calls came to %v, for %v", counts.Results, counts.Causes)
	}
}

// TestSeriesOfAController counts the series that docs/metrics.md says a controller has.
func TestSeriesOfAController(t *testing.T) {
	stated := scrape.Stated(t, "../../docs/metrics.md")
	inWorld(t, func(t *testing.T, w *world) {
		has := func(part string) (n int) {
			for _, line := range scrape.Lines(t, metrics.Registry, "delta_") {
				if strings.Contains(line, `controller="counted"`) && strings.Contains(line, part) {
					n++
				}
			}
			return n
		}
		reconciler := reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
			return reconcile.Result{}, delta.Plan(ctx).On(&corev1.ConfigMap{}, "data").Do("copy", func(context.Context) error { return nil })
		})
		must(t, builder.ControllerManagedBy(w.manager).Named("counted").For(&corev1.ConfigMap{}).Owns(&corev1.Pod{}).Complete(reconciler))
		w.servers[configMap].Add(newObject(configMap, "there"))
		synctest.Wait() // so that it is there when the controller comes
		w.start()
		synctest.Wait()
		w.servers[configMap].Add(newObject(configMap, "new"))
		synctest.Wait()
		w.servers[pod].Add(newObject(pod, "p", "new"))
		synctest.Wait()
		causes, steps, reasons := has("delta_reconcile_causes_total"), has(`result="done"`), has(`reason="InitialList"`)+has(`reason="FirstTime"`)
		if causes != 3 || steps != 1 || reasons != 2 {
			t.Errorf("there are %d causes, %d steps and %d reasons, want 3, 1 and 2", causes, steps, reasons)
		}
		ofCauses, ofSteps := causes*stated["a cause that a controller was called for"], steps*stated["a step of a controller"]
		ofReasons := reasons * stated["a reason why changes were not complete"]
		for part, want := range map[string]int{
			"delta_reconcile_causes_total":     ofCauses,
			"delta_steps_total":                ofSteps,
			"delta_reconcile_incomplete_total": ofReasons,
			"":                                 stated["a controller"] + ofCauses + ofSteps + ofReasons,
		} {
			if has(part) != want {
				t.Errorf("a controller has %d series %s, want %d", has(part), part, want)
			}
		}
	})
}

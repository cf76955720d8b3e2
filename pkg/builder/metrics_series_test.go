package builder_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/internal/testing/scrape"
	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

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

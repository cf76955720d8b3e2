//go:build invariants && !race

package builder_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// TestLocksOnThePathOfAnEvent counts the locks that all goroutines take from the moment in which the server shows an
// update until the reconciler knows of it. ARCHITECTURE.md says how many these are.
func TestLocksOnThePathOfAnEvent(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var told string
		var after map[string]int
		reconciler := reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
			told, after = delta.From(ctx).String(), lock.Taken()
			return reconcile.Result{}, nil
		})
		must(t, builder.ControllerManagedBy(w.manager).For(&corev1.ConfigMap{}).Complete(reconciler))
		w.start()
		w.servers[configMap].Add(newObject(configMap, "web"))
		synctest.Wait()
		changed := newObject(configMap, "web")
		changed.SetLabels(map[string]string{"app": "web"})
		before := lock.Taken()
		w.servers[configMap].Modify(changed)
		synctest.Wait()
		if !strings.Contains(told, "Updated") {
			t.Fatalf("the reconciler was told %s", told)
		}
		sum, by := 0, []string{}
		for _, name := range slices.Sorted(maps.Keys(after)) {
			if n := after[name] - before[name]; n > 0 {
				sum += n
				by = append(by, fmt.Sprintf("%s %d", name, n))
			}
		}
		said, err := os.ReadFile("../../ARCHITECTURE.md")
		must(t, err)
		want := fmt.Sprintf("An event takes %d locks on its way: %s.", sum, strings.Join(by, ", "))
		if !strings.Contains(strings.Join(strings.Fields(string(said)), " "), want) {
			t.Errorf("ARCHITECTURE.md does not say: %s", want)
		}
	})
}

package builder_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	drpredicate "github.com/delta-runtime/delta-runtime/pkg/predicate"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// TestAResyncPassesPredicatesOfUpdates resyncs a controller by its own policies and on
// demand, and has a relist. Predicates about updates hold back only the relist.
func TestAResyncPassesPredicatesOfUpdates(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var mu sync.Mutex // guards told
		var told []string
		must(t, builder.ControllerManagedBy(w.manager).
			For(&corev1.ConfigMap{}).
			Owns(&corev1.Pod{}, builder.WithPredicates(drpredicate.ChangedAt("spec")), builder.WithResyncPolicy(resync.Policy{Period: 90 * time.Minute})).
			Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(secretsRequests), builder.WithPredicates(drpredicate.NotResync())).
			WithEventFilter(predicate.GenerationChangedPredicate{}).
			WithResync(resync.Policy{Period: time.Hour}).
			Complete(reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
				mu.Lock()
				defer mu.Unlock()
				for change := range delta.From(ctx).All() {
					if change.Op == delta.Sync {
						told = append(told, change.Cause.String()+" "+change.Kind.Kind)
					}
				}
				return reconcile.Result{}, nil
			})))
		w.start()
		w.servers[configMap].Add(newObject(configMap, "c"))
		w.servers[pod].Add(newObject(pod, "p", "c"))
		w.servers[secret].Add(newObject(secret, "s", "c"))
		expect := func(what string, want ...string) {
			t.Helper()
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			if slices.Sort(told); !slices.Equal(told, want) {
				t.Errorf("%s: the reconciler was told %q, want %q", what, told, want)
			}
			told = nil
		}
		time.Sleep(time.Hour + time.Minute)
		expect("after an hour", "Resync ConfigMap")
		time.Sleep(30 * time.Minute)
		expect("after an hour and a half", "Resync Pod")
		for _, i := range w.informers {
			must(t, i.Core().Resync(nil))
		}
		expect("on demand", "Resync ConfigMap", "Resync Pod")
		for _, i := range w.informers {
			must(t, i.Core().Relist(t.Context()))
		}
		expect("after a relist")
	})
}

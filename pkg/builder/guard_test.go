package builder_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr/funcr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/internal/testing/scrape"
	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// fight has two managers write one field of a Secret in turn, for as many rounds. Each writes
// a second after the other.
func fight(w *world, rounds int) {
	about := newObject(secret, "contested").(*corev1.Secret)
	fields := metav1.NewFieldsV1(`{"f:data":{"f:password":{}}}`)
	write := func(manager string) {
		now := metav1.Now()
		about = about.DeepCopy()
		about.Data = map[string][]byte{"password": []byte("canary of " + manager)}
		about.ManagedFields = []metav1.ManagedFieldsEntry{{
			Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, Time: &now, FieldsType: "FieldsV1", FieldsV1: fields,
		}}
	}
	write("alice")
	w.servers[secret].Add(about)
	for range rounds {
		for _, manager := range []string{"bob", "alice"} {
			time.Sleep(time.Second)
			synctest.Wait()
			write(manager)
			w.servers[secret].Modify(about)
			synctest.Wait()
		}
	}
}

// TestTheGuard has two managers fight, under a guard that warns, one that defers, and none.
func TestTheGuard(t *testing.T) {
	for name, opts := range map[string]delta.LedgerOptions{
		"warn": {}, "defer": {DeferHotLoops: true}, "off": {IgnoreHotLoops: true},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) { playGuard(t, w, "guarded by "+name, opts) })
		})
	}
}

func playGuard(t *testing.T, w *world, name string, opts delta.LedgerOptions) {
	t.Helper()
	var lines []string
	w.manager.logger = funcr.New(func(_, args string) { lines = append(lines, args) }, funcr.Options{})
	w.manager.events = events.NewFakeRecorder(100)
	var calls, deltas atomic.Int64
	reconciler := reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
		calls.Add(1)
		for c := range delta.From(ctx).All() {
			deltas.Add(int64(c.Deltas))
		}
		return reconcile.Result{}, nil
	})
	must(t, builder.ControllerManagedBy(w.manager).Named(name).For(&corev1.Secret{}).WithLedger(opts).Complete(reconciler))
	w.start()
	fight(w, 20)
	series := func(metric, pattern string) string {
		return fmt.Sprintf("%s{controller=%q,pattern=%q}", metric, name, pattern)
	}
	got := scrape.Read(t, metrics.Registry, "delta_hot_loops")
	said := strings.Join(lines, "\n")
	about := `alice and bob undo each other's writes to data.password of Secret team/contested`
	if opts.IgnoreHotLoops {
		if strings.Contains(said, "to no end") || len(w.manager.events.Events) > 0 || got[series("delta_hot_loops", "Fight")] != 0 || calls.Load() != 41 {
			t.Errorf("without a guard there are %d calls, %v, and\n%s", calls.Load(), got, said)
		}
		return
	}
	if n := strings.Count(said, "is called again and again to no end: "+about); n != 1 {
		t.Errorf("the log says %d times who fights, want once:\n%s", n, said)
	}
	if len(w.manager.events.Events) != 1 {
		t.Fatalf("there are %d Events, want one", len(w.manager.events.Events))
	}
	if event := <-w.manager.events.Events; !strings.Contains(event, "Warning HotLoop "+about) {
		t.Errorf("the Event is %q", event)
	}
	if got[series("delta_hot_loops", "Fight")] != 1 || got[series("delta_hot_loops_found_total", "Fight")] != 1 || got[series("delta_hot_loops_found_total", "OwnWrites")] != 0 {
		t.Errorf("the metrics are %v", got)
	}
	if strings.Contains(said, "canary") {
		t.Errorf("the log has a value of a Secret:\n%s", said)
	}
	before := calls.Load()
	if !opts.DeferHotLoops && before != 41 || opts.DeferHotLoops && (before < 5 || before > 25) {
		t.Errorf("%s: there were %d calls for 41 writes", name, before)
	}
	time.Sleep(time.Hour) // nothing is dropped
	synctest.Wait()
	if got := deltas.Load(); got != 41 {
		t.Errorf("the reconciler was told of %d deltas, want 41", got)
	}
	if got := scrape.Read(t, metrics.Registry, "delta_hot_loops"); got[series("delta_hot_loops", "Fight")] != 0 {
		t.Errorf("after an hour of calm the metrics are %v", got)
	}
	w.servers[secret].Modify(newObject(secret, "contested")) // the metrics were scraped before this call
	synctest.Wait()
	if said := strings.Join(lines, "\n"); strings.Count(said, "no longer called again and again") != 1 {
		t.Errorf("the log does not say once that it is over:\n%s", said)
	}
}

// TestAGuardThatPanicsCostsNothing has no recorder of Events, which the guard stumbles over.
func TestAGuardThatPanicsCostsNothing(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var lines []string
		w.manager.logger = funcr.New(func(_, args string) { lines = append(lines, args) }, funcr.Options{})
		var calls atomic.Int64
		reconciler := reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) {
			calls.Add(1)
			return reconcile.Result{}, nil
		})
		must(t, builder.ControllerManagedBy(w.manager).Named("stumbling").For(&corev1.Secret{}).Complete(reconciler))
		w.start()
		fight(w, 20)
		if said := strings.Join(lines, "\n"); calls.Load() != 41 || strings.Count(said, "BUG: the guard against hot loops panicked") != 1 {
			t.Errorf("there were %d calls, want 41, and the log says\n%s", calls.Load(), said)
		}
	})
}

// TestADeletionIsNotHeldBack has a request that is held back, and then a write and a deletion of its object.
func TestADeletionIsNotHeldBack(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.manager.events = events.NewFakeRecorder(100)
		var calls atomic.Int64
		var deleting atomic.Bool
		reconciler := reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
			calls.Add(1)
			for c := range delta.From(ctx).All() {
				deleting.Store(c.New != nil && c.New.GetDeletionTimestamp() != nil)
			}
			return reconcile.Result{}, nil
		})
		opts := delta.LedgerOptions{DeferHotLoops: true}
		must(t, builder.ControllerManagedBy(w.manager).Named("deleting").For(&corev1.Secret{}).WithLedger(opts).Complete(reconciler))
		w.start()
		fight(w, 20)
		seen := w.manager.runtime.Controllers()[0]
		about := newObject(secret, "contested").(*corev1.Secret)
		key := delta.Key{Namespace: about.Namespace, Name: about.Name}
		held, before := seen.LoopsHeld(), calls.Load()
		if rest := time.Until(seen.HeldUntil(key)); held == 0 || rest < 10*time.Second {
			t.Fatalf("%d calls were held back, and the next is for %v", held, rest)
		}
		w.servers[secret].Modify(about)
		synctest.Wait()
		if calls.Load() != before || seen.LoopsHeld() != held+1 {
			t.Errorf("a write led to %d calls, and %d were held back", calls.Load()-before, seen.LoopsHeld()-held)
		}
		now := metav1.Now()
		about = about.DeepCopy()
		about.DeletionTimestamp, about.Finalizers = &now, []string{"example.com/wait"}
		w.servers[secret].Modify(about)
		synctest.Wait()
		if calls.Load() != before+1 || !deleting.Load() {
			t.Errorf("a deletion led to %d calls at once, want one that hears of it", calls.Load()-before)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		fight(w, 1) // after a while of calm it is not held back any more
		if until := seen.HeldUntil(key); !until.IsZero() || calls.Load() < before+3 {
			t.Errorf("an hour later it is held back until %v, after %d calls", until, calls.Load()-before)
		}
	})
}

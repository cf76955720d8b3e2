package builder_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// A ConfigMap is deleted and created again. Nothing was done for the new one yet, so each step runs for it, also one that
// depends on other objects alone.
func TestStepsRunForANewObjectOfAnOldName(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		exists := true
		s := &stepping{of: func(ctx context.Context, ran func(string) func(context.Context) error) (reconcile.Result, error) {
			if !exists { // as client.IgnoreNotFound does
				return reconcile.Result{}, nil
			}
			return reconcile.Result{}, secretAndData(ctx, ran)
		}}
		w.settleWith(t, s)
		exists = false
		w.servers[configMap].Delete(withValue("1"))
		time.Sleep(time.Minute)
		synctest.Wait()
		exists = true
		w.addAnother()
		if got := s.since(); got != "secret data" {
			t.Errorf("for the newborn ConfigMap ran %q, want both steps", got)
		}
	})
}

// The same, and the reconciler never sees that the ConfigMap was away: it is replaced between two calls.
func TestStepsRunForAnObjectThatWasReplaced(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var told []string
		s := &stepping{of: func(ctx context.Context, ran func(string) func(context.Context) error) (reconcile.Result, error) {
			told = append(told, delta.From(ctx).String())
			return reconcile.Result{}, secretAndData(ctx, ran)
		}}
		w.settleWith(t, s)
		w.servers[configMap].Delete(withValue("1"))
		w.addAnother()
		if got := s.since(); got != "secret data" && got != "data secret data" && got != "secret data secret data" {
			t.Errorf("for the newborn ConfigMap ran %q, want both steps; it was told %q", got, told[len(told)-1])
		}
	})
}

// secretAndData does a step that depends on a Secret, and one that depends on the ConfigMap.
func secretAndData(ctx context.Context, ran func(string) func(context.Context) error) error {
	plan := delta.Plan(ctx)
	return errors.Join(
		plan.On(&corev1.Secret{}, "data").Do("secret", ran("secret")),
		plan.On(&corev1.ConfigMap{}, "data").Do("data", ran("data")),
	)
}

// settleWith runs a controller of ConfigMaps and Secrets until it has done its work for one of each.
func (w *world) settleWith(t *testing.T, s *stepping) {
	t.Helper()
	err := builder.ControllerManagedBy(w.manager).For(&corev1.ConfigMap{}).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(secretsRequests)).Complete(s)
	must(t, err)
	w.startWithOneOfEach(s)
}

// startWithOneOfEach starts the controller, and waits until it has done its work for a ConfigMap and a Secret.
func (w *world) startWithOneOfEach(s *stepping) {
	w.start()
	w.servers[secret].Add(secretWith("1"))
	w.servers[configMap].Add(withValue("1"))
	synctest.Wait()
	s.since()
}

// addAnother adds another ConfigMap of the same name.
func (w *world) addAnother() {
	next := withValue("1")
	next.SetUID(types.UID("another"))
	w.servers[configMap].Add(next)
	time.Sleep(time.Minute)
	synctest.Wait()
}

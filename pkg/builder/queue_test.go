package builder_test

import (
	"context"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/pkg/builder"
)

// TestHandlersHavePrioritiesIfTheControllerHas looks at the queue that a handler is given,
// which records.
func TestHandlersHavePrioritiesIfTheControllerHas(t *testing.T) {
	for _, want := range []bool{true, false} {
		inWorld(t, func(t *testing.T, w *world) {
			var handed queue
			if err := builder.ControllerManagedBy(w.manager).Named("queues").
				WithOptions(controller.Options{UsePriorityQueue: &want}).
				Watches(&corev1.Secret{}, handler.Funcs{CreateFunc: func(_ context.Context, _ event.CreateEvent, q queue) { handed = q }}).
				Complete(noop); err != nil {
				t.Fatal(err)
			}
			w.start()
			w.servers[secret].Add(newObject(secret, "a"))
			synctest.Wait()
			if _, has := handed.(priorityqueue.PriorityQueue[reconcile.Request]); handed == nil || has != want {
				t.Errorf("UsePriorityQueue is %t, and the handler has a %T", want, handed)
			}
		})
	}
}

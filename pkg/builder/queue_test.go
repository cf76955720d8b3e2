package builder_test

import (
	"context"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/queue/ctrlqueue"
)

// TestHandlersHavePriorities looks at the recording queue that a handler gets. Where the controller's queue ignores priorities,
// a handler can set them all the same, as with controller-runtime.
func TestHandlersHavePriorities(t *testing.T) {
	for _, priorities := range []bool{true, false} {
		inWorld(t, func(t *testing.T, w *world) {
			var handed queue
			must(t, builder.ControllerManagedBy(w.manager).Named("queues").
				WithOptions(controller.Options{UsePriorityQueue: &priorities}).
				Watches(&corev1.Secret{}, handler.Funcs{CreateFunc: func(_ context.Context, _ event.CreateEvent, q queue) { handed = q }}).
				Complete(noop))
			w.start()
			w.servers[secret].Add(newObject(secret, "a"))
			synctest.Wait()
			if _, has := handed.(priorityqueue.PriorityQueue[reconcile.Request]); !has {
				t.Errorf("UsePriorityQueue is %t, and the handler has a %T", priorities, handed)
			}
		})
	}
}

// TestWhichQueue looks at the queue that the sources are started with.
func TestWhichQueue(t *testing.T) {
	mine := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	defer mine.ShutDown()
	for name, c := range map[string]struct {
		options controller.Options
		general *bool // UsePriorityQueue of the manager
		ours    bool
	}{
		"by default":                     {ours: true},
		"with priorities":                {controller.Options{UsePriorityQueue: new(true)}, new(false), true},
		"without priorities":             {controller.Options{UsePriorityQueue: new(false)}, nil, false},
		"without priorities, by manager": {controller.Options{}, new(false), false},
		"of the user's":                  {controller.Options{NewQueue: func(string, workqueue.TypedRateLimiter[reconcile.Request]) queue { return mine }}, nil, false},
		"of the user's, which is ours":   {controller.Options{NewQueue: ctrlqueue.NewQueue[reconcile.Request]}, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.manager.options.UsePriorityQueue = c.general
				var got queue
				must(t, builder.ControllerManagedBy(w.manager).Named("queues").WithoutLedger().WithOptions(c.options).
					WatchesRawSource(ctrlsource.Func(func(_ context.Context, q queue) error { got = q; return nil })).
					Complete(noop))
				w.start()
				if _, ours := got.(ctrlqueue.PriorityQueue[reconcile.Request]); ours != c.ours {
					t.Errorf("the queue is a %T", got)
				}
			})
		})
	}
}

package manager

import (
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/pkg/queue/ctrlqueue"
)

// NewQueue is for controller.Options: with NewQueue: manager.NewQueue the controller
// has our priority queue, under controller-runtime's metrics.
func NewQueue(controllerName string, rateLimiter workqueue.TypedRateLimiter[reconcile.Request]) workqueue.TypedRateLimitingInterface[reconcile.Request] {
	return NewTypedQueue(controllerName, rateLimiter)
}

// NewTypedQueue is [NewQueue] for a controller with requests of its own:
// controller.TypedOptions[R]{NewQueue: manager.NewTypedQueue[R]}.
func NewTypedQueue[R comparable](controllerName string, rateLimiter workqueue.TypedRateLimiter[R]) workqueue.TypedRateLimitingInterface[R] {
	return ctrlqueue.NewQueue(controllerName, rateLimiter)
}

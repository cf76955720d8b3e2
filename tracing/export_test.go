package tracing

import "sigs.k8s.io/controller-runtime/pkg/reconcile"

// MaxUnfinished is how many requests are remembered.
const MaxUnfinished = maxUnfinished

// Unfinished counts the requests that a reconciler remembers.
func Unfinished(r reconcile.Reconciler) int {
	t := r.(*traced[reconcile.Request])
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.unfinished)
}

package tracing

import "sigs.k8s.io/controller-runtime/pkg/reconcile"

// MaxUnfinished is how many requests are remembered.
const MaxUnfinished = maxUnfinished

// Unfinished counts the requests that a reconciler remembers.
func Unfinished(r reconcile.Reconciler) int {
	return r.(*traced[reconcile.Request]).unfinished.Len()
}

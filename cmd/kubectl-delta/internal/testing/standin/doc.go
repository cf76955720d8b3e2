// Package standin stands in for an API server and the kubelets behind it, as far as the way to an
// inspector takes them. A control plane without nodes has no kubelet, so no port-forward ends
// anywhere in it.
//
//	kubectl-delta ──▶ lists of Pods, tokens ──▶ portforward of a Pod ──▶ that Pod's address
//
// # Concurrency
//
// The fields are set before Start. The methods may be called from several goroutines.
//
// # Testing
//
// The tests of reach run a port-forward through it.
package standin

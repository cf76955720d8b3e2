// Package reach finds an operator in a cluster and opens a way to its inspector.
//
//	--url ──────────────────────────────────────────────▶ https://…  ─┐
//	                                                                  ├─▶ token ─▶ ask.Client
//	kubeconfig ─▶ Pods by label, leader by Lease ─▶ port-forward ─────┘
//
// The way leads through the API server's port-forward, over a WebSocket, which each server since
// Kubernetes 1.31 takes. Each connection to the Pod is a stream within it. Nothing listens on this
// machine, so no other program here can use the way.
//
// Only the leader of an operator reconciles: the other replicas have a cache, and nothing to
// say about requests. controller-runtime writes `<host name>_<random>` into the Lease as the
// holder, and a Pod's host name is the Pod's name, unless the Pod says otherwise.
//
// A tenant who may create a Pod can give it an operator's label and wait for the token of an
// administrator. So a Pod that was only found is asked without a token. The user has to name its
// namespace first. Where several operators are found, the user names one, in every case.
//
// cli-runtime is not used. It has the same two flags, but also all that builds and prints objects, and
// a flag --token with another meaning.
//
// # Concurrency
//
// A Keeper and what it opens may be used from several goroutines. A port-forward has one
// goroutine for each connection to the Pod, which reads what the kubelet complains of, and
// Close waits for it.
//
// # Testing
//
// The choice of the Pod runs against client-go's fake clientset. The port-forward runs against
// a server that speaks as the API server does, with an inspector behind it.
// The part that only a kubelet can show is not tested.
package reach

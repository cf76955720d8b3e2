// Package e2e runs whole informers and caches against a real API server to which something happens that only a real
// one shows.
//
//	writer ──▶ kube-apiserver ◀── frozen: it takes connections, and says nothing
//	              │   │
//	              │   └──▶ etcd ◀── restored from a backup
//	              ▼
//	          informers ──▶ store
//	              └───────▶ witnesses: what each delta said
//
// If etcd is restored from a backup, the informers have to notice, and to tell which objects went back. At the end the
// server's list, the store and the world that the deltas tell must be the same. A seed decides what is written. The test
// prints it, and SEED in the environment plays it again.
//
// What random faults do to an informer is tested with the server of internal/testing/apifake, in test/sim.
//
// # Concurrency
//
// Tests start what they need, and stop it when they end.
//
// # Testing
//
// The package has only tests.
package e2e

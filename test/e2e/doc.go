// Package e2e runs whole informers against a real API server that fails now and then.
//
//	writers ───────────────▶ kube-apiserver ──▶ etcd ──▶ history (the truth)
//	                              │   ▲          ▲
//	                              ▼   └─ killed  └─ compacted
//	                            proxy  cut, and dark for a while
//	                              │
//	                              ▼
//	                          informer ──▶ store
//	                              └──────▶ listeners: steady, slow, resynced, late, leaving
//
// A seed decides what is written, and which faults come in which order. The test prints it,
// and SEED in the environment plays it again. The timing depends on the machine, so the
// checks hold for every timing. Each listener's log is compared, object by object, with the
// history from etcd itself. At the end the server's list, the store and the world that each
// listener has rebuilt must be the same.
//
// Another test restores etcd from a backup. It expects that the informers notice, and tell
// which objects went back.
//
// # Concurrency
//
// Tests start what they need, and stop it when they end.
//
// # Testing
//
// The tests of the checks have short logs with one fault each.
package e2e

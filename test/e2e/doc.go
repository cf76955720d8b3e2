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
// What is written, and which faults come in which order, follows from a seed that
// the test prints; SEED in the environment plays one again. When what follows happens
// is up to the machine, so the checks hold for every timing: each listener's log is
// compared, object by object, with the history that etcd itself told, and in the end
// the server's list, the store and every world that a listener rebuilt are the same.
//
// Another test takes etcd back to a backup, and expects the informers to notice and to
// tell which objects went back.
//
// E2E_INFORMER=client-go runs client-go's own informer through the same, which shows
// what of a failure is the test's.
//
// # Concurrency
//
// Tests start what they need, and it is gone when they end.
//
// # Testing
//
// The checks are tested on short logs that are wrong in one way each.
package e2e

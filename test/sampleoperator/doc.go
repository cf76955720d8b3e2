// Package sampleoperator runs the sample operator as it runs in a cluster: as a
// process of its own, with the account and the rights that config/ gives it, against
// a real API server with the controllers that make Pods of Deployments.
//
//	the test ──Sites, Secrets, damage──▶ kube-apiserver ◀── kube-controller-manager, scheduler, kwok
//	    │                                  │  ▲      │
//	    │                        admission │  │      └──▶ audit: what the account asked for
//	    │                                  ▼  │
//	    │                              relay: stands for the webhook's Service
//	    │                                  │  │
//	    └──kill, stop, start──▶ replica, replica: the operator's processes, started again when they end
//
// What is checked is what somebody who runs it relies on. Whatever is edited, deleted
// behind its back, killed and restarted: in the end every child is what its Site says,
// nothing that was deleted is held up, nobody was refused anything, the account wrote
// about as many Events as there was news, and then nothing more. And config/ grants
// nothing that the operator does not need: each right is taken away once, which has to
// show.
//
// E2E_KUBECONFIG runs the first test against a cluster in which the operator is
// deployed, with its Pods deleted in place of processes killed. SEED chooses what is done.
//
// # Concurrency
//
// Each test has a control plane of its own.
//
// # Testing
//
// The package is tests alone.
package sampleoperator

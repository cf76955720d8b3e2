// Package sampleoperator runs the sample operator as in a cluster: in a process of its own,
// with the account and the rights from config/. The API server is real, and so are the
// controllers that make Pods from Deployments.
//
//	the test ──Sites, Secrets, damage──▶ kube-apiserver ◀── kube-controller-manager, scheduler, kwok
//	    │                                  │  ▲      │
//	    │                        admission │  │      └──▶ audit: what the account asked for
//	    │                                  ▼  │
//	    │                              relay: stands for the webhook's Service
//	    │                                  │  │
//	    └──kill, stop, start──▶ replica, replica: the operator's processes, started again when they end
//
// The tests check what users of the operator rely on. They edit Sites, delete objects behind
// the operator's back, kill processes and restart them. At the end every child is what its
// Site says, every deletion is complete, and no request was refused. The account has written
// about as many Events as there were changes, and then writes nothing more. Another test
// checks that config/ grants only rights that the operator needs: it removes each right once,
// and the operator has to fail then.
//
// E2E_KUBECONFIG runs the first test in a cluster in which the operator is deployed. There
// the test deletes Pods instead of killing processes. SEED decides what the test does.
//
// # Concurrency
//
// Each test has a control plane of its own.
//
// # Testing
//
// The package has only tests.
package sampleoperator

// Package operator runs whole operators on our cache and queue: managers of
// controller-runtime, against a real API server.
//
//	the test ──writes──▶ kube-apiserver ──▶ etcd
//	    │                     ▲
//	    │                     │ line: counts requests, and can be cut
//	    │        ┌────────────┴─────────────┐
//	    └─reads─▶│ manager                  │
//	             │   our cache              │
//	             │   controller, our queue ─┼──▶ reconciler: remembers what it saw
//	             └──────────────────────────┘
//
// What is checked is what somebody who runs an operator relies on: that in the end
// reader, handlers and reconcilers know what the server has, whatever was missing,
// forbidden, restarted or handed over on the way; and that a stopped manager leaves
// nothing behind.
//
// OPERATOR_CACHE=controller-runtime runs controller-runtime's own cache through the
// same, except where the test is about what it cannot do. That shows what of a failure
// is the test's. OPERATOR_LOG=1 writes down what managers and caches log, and
// OPERATOR_STARTS=100 starts as many managers that lack a kind.
//
// # Concurrency
//
// All tests share a control plane, which is started by the first that needs it. Each
// has namespaces of its own; a test that disturbs the server starts another one.
//
// # Testing
//
// The package is tests alone.
package operator

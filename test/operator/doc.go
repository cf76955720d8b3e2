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
// The tests check what users of an operator rely on. At the end reader, handlers and
// reconcilers know what the server has, even if on the way something was missing, forbidden,
// restarted or handed over. And a stopped manager leaves nothing behind.
//
// OPERATOR_LOG=1 shows the log of managers and caches.
//
// # Concurrency
//
// All tests share a control plane, which the first test starts that needs it. Each test has
// namespaces of its own. A test that disturbs the server starts its own control plane.
//
// # Testing
//
// The package has only tests.
package operator

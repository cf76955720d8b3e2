// Package observe knows what can be seen of the caches and controllers that run in this process.
//
//	cache.Start ──AddCache──▶ ┌──────────┐ ◀──Caches── metrics, inspector
//	                          │ registry │
//	controller.Start ──Add──▶ └──────────┘ ◀──Controllers── metrics, inspector
//
// What is here is asked, and asks in turn: an informer for its Status, a queue for its Stats. A
// controller also counts what its reconciler was called for, in [Calls].
//
// # Concurrency
//
// Any goroutine may call anything. The registry is copied when something is added, so that who
// looks at it waits for nobody.
//
// # Testing
//
// A model test adds and removes at random and compares. Calls are counted against a list of
// all calls.
package observe

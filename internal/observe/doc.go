// Package observe knows what can be seen of the caches and controllers that run in this process.
//
//	cache.Start ──AddCache──▶ ┌──────────┐ ◀──Caches── metrics, inspector
//	                          │ registry │
//	controller.Start ──Add──▶ └──────────┘ ◀──Controllers── metrics, inspector
//
// Its entries are asked, and ask in turn: an informer for its Status, a queue for its Stats. A
// controller also counts what its reconciler was called for, in [Calls].
//
// Any goroutine may call anything. The registry is copied when something is added, so that who
// looks at it waits for nobody.
package observe

// Package managed has what the parts of one manager share: its cache, its client, its controllers and its
// inspector.
//
//	cache.Start ──────Runs──▶ ┌─────────┐ ◀──Cache, Controllers── metrics, inspector
//	controller ──Reconciles─▶ │ Runtime │ ◀──Writes, Schemas───── builder
//	                          └─────────┘ ◀──Record────────────── inspector
//	                           Live: all of this process
//
// Each cache makes a [Runtime], so one without a manager has one, and two managers that are made with the same
// options have two. The others find it with [Of]: by the manager's cache, or by its client if a user has wrapped the
// cache. The package is not called runtime, because nearly all that use it import another one of that name.
//
// Any goroutine may call anything. The lock is held while a cache or a controller is told of its journal, so that
// none that starts meanwhile is left out.
package managed

// Package answers says what an inspector wants to know of an operator that runs in this process.
//
//	inspector ──asks──▶ Operator ──▶ internal/managed: kinds, controllers, queues
//	   (HTTP)              │    └──▶ internal/inspect/journal: the last deltas and calls
//	                       └──▶ the cache: resync, relist, policies
//
// It turns statuses, deltas and calls into the forms of pkg/inspect/v1. It computes differences
// when somebody looks, and never shows the values of a Secret. The journal notes nothing unless Run runs.
//
// Any goroutine may call anything.
package answers

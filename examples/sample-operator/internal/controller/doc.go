// Package controller keeps the objects that the spec of each Site asks for.
//
//	Site ───────────┐                        ┌── hostname ───▶ claim, in the operator's namespace
//	its children ───┤                        ├── files ──────▶ ConfigMap
//	Secrets ────────┼─▶ queue ─▶ Reconcile ──┤── service ────▶ Service
//	claims ─────────┤      delta.From(ctx)   ├── deployment ─▶ Deployment
//	others' objects ┘         └─ steps      └── status ─────▶ Site, Events
//
// A reconcile is level-based: each step compares what exists with what is wanted, and writes
// only the difference. The changes have two more uses. A step names what it depends on, and
// is skipped if that is known not to have changed. And the status and an Event say what was
// written, and which changes led to it.
//
// Reads use the cache. They wait until it shows what this process has written, by
// controller-runtime's EnableReadYourWritesConsistency. Only one decision can't bear the
// cache's delay: before claims are given back for good, the controller asks the server.
//
// Several workers reconcile, one Site each. They share only the client. Some tests call
// Reconcile with controller-runtime's fake client and changes that they make up. Others run it
// in a manager over a real API server, and count every request.
package controller

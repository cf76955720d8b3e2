// Package controller keeps for each Site what its spec asks for.
//
//	Site ───────────┐                        ┌── hostname ───▶ claim, in the operator's namespace
//	its children ───┤                        ├── files ──────▶ ConfigMap
//	Secrets ────────┼─▶ queue ─▶ Reconcile ──┤── service ────▶ Service
//	claims ─────────┤      delta.From(ctx)   ├── deployment ─▶ Deployment
//	namesakes ──────┘         └─ steps      └── status ─────▶ Site, Events
//
// A reconcile is level-based: each step compares what is there with what is wanted, and
// writes only a difference. What changed is asked for two things besides. A step says what
// it depends on, and is skipped if that is known not to have changed. And what was written is
// put down, in the status and in an Event, with the changes that led to it.
//
// # Reads and writes
//
// Reads are from the cache, and wait until it shows what this process has written, by
// controller-runtime's EnableReadYourWritesConsistency. Where even the cache's moment of
// delay would do harm, the server is asked: before claims are given back for good.
//
// Children are written by server-side apply, with the fields that are ours and no other.
// Whether that would change anything is read off their managed fields, so a cache that
// strips these of children makes each reconcile write. An object that exists and is not
// the Site's is never applied to.
//
// A hostname is claimed by creating an object whose name has it: the server lets one do
// so.
//
// # Concurrency
//
// Several workers reconcile, one Site each. They share nothing but the client.
//
// # Testing
//
// The steps and the digests have tables. Reconcile is tested on controller-runtime's fake
// client with changes that the test makes up, and in a manager over a real API server,
// where every request is counted.
package controller

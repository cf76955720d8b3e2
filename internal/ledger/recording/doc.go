// Package recording has the queues that tell a ledger why each request is added.
//
//	source ──▶ handler ──Add──▶ NewQueue's, for one delivery ──┐  1 Reason: record the request
//	anybody else ──────Add──▶ ControllerQueue ─────────────────┤  2 add it
//	                                                           ▼  3 Reason: it has landed
//	                                                 the controller's queue
//
// The order matters. A worker may take the request before the Add returns, and has to find
// the reason recorded.
//
// A source starts with a ControllerQueue and unwraps it: see [Unwrap]. It makes one queue for
// each delivery, and never uses it for another one.
//
// Any goroutine may add, also after the delivery. The queues hold no lock while they call the ledger or another queue.
package recording

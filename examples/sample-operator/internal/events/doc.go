// Package events has an event broadcaster that accounts for every Event: it is written,
// merged into one that was written before, or dropped, and then there is a number that
// says so and why.
//
//	recorder ──▶ queue, bounded ──▶ Start: one task
//	   │ full: dropped               │
//	   │                             ├──▶ watchers, which log
//	   ▼                             ├── correlator: too many of a kind: dropped
//	outcomes, a counter ◀────────────┤
//	                                 └──▶ sink: created, or patched; tried again
//	                                       refused, or not to be reached: dropped
//
// It is for controller-runtime's Options.EventBroadcaster, in place of client-go's, which
// drops from its queue without a trace that could be alerted on, and whose goroutines
// nobody waits for. What makes one Event of several like ones is client-go's own
// correlator.
//
// # Concurrency
//
// Recorders may be used from any goroutine, and never wait. Everything else happens in
// Start, which the manager runs and waits for: it ends when its context does, after
// having written what was in the queue, if that doesn't take too long. mu guards who is
// told; no lock is held while anything is called.
//
// # Testing
//
// In synctest bubbles, with sinks that refuse, fail, and take their time. Whatever they
// do, outcomes have to add up to what was recorded.
package events

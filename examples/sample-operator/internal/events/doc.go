// Package events has an event broadcaster that accounts for every Event: the Event is
// written, merged into an earlier one, or dropped. A counter says how many had which outcome.
//
//	recorder ──▶ queue, bounded ──▶ Start: one task
//	   │ full: dropped               │
//	   │                             ├──▶ watchers, which log
//	   ▼                             ├── correlator: too many of a kind: dropped
//	outcomes, a counter ◀────────────┤
//	                                 └──▶ sink: created, or patched; tried again
//	                                       refused, or not to be reached: dropped
//
// It is for controller-runtime's Options.EventBroadcaster, instead of client-go's. That one
// drops Events from its queue without counting them, so no alert is possible, and nobody
// waits for its goroutines. Similar Events are merged by client-go's own correlator.
//
// # Concurrency
//
// Recorders may be used from any goroutine, and never wait. Everything else happens in Start,
// which the manager runs and waits for. When its context ends, Start writes what is in the
// queue, unless that takes too long, and returns. mu guards the sink and the watchers. No
// lock is held while anything is called.
//
// # Testing
//
// The tests run in synctest bubbles, with sinks that refuse, fail and are slow. In each of
// them the outcomes have to add up to the number of recorded Events.
package events

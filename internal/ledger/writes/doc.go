// Package writes remembers what a client has written, so that somebody who is shown an object
// can tell whether it is the client's own work.
//
//	client ── Begin ── request ── answer ── Wrote ── end ──▶ Writes
//	                                                           ▲
//	watch ── event ── Settled, Made ───────────────────────────┘
//
// Any goroutine may call [Writes], and several clients may share one.
package writes

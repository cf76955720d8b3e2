// Package writes remembers what a client has written, so that somebody who is shown an object
// can tell whether it is the client's own work.
//
//	client ── Begin ── request ── answer ── Wrote ── end ──▶ Writes
//	                                                           ▲
//	watch ── event ── Settled, Made ───────────────────────────┘
//
// # Concurrency
//
// Any goroutine may call [Writes], and several clients may share one.
//
// # Testing
//
// A model in writes_test.go knows who wrote which version, and random histories are played
// against it. A failure prints its seed.
package writes

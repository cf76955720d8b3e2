// Package reflector keeps a [Sink] in step with what a server shows.
//
//	         ╭────────────────── the position is lost ───────────────────╮
//	         ▼                                                           │
//	start ──▶ stream ──▶ adopt ──▶ watch ──▶ follow ──Push, Bookmark──▶ Sink
//	   │         │ comes to no end    ▲         │
//	   ╰──▶ list ◀╯                   ╰─────────╯ the watch has ended
//	         ╰──────▶ adopt ──Replace──▶ Sink
//
// Each state is a function in steps.go that returns the next. An error says what to do:
// errors.go tells failures apart, position.go says where to go on from, backoff.go how long to
// wait, order.go which version is older, doubt.go whether the server still has the history that
// we know, and status.go puts it in words for people.
//
// # Concurrency
//
// A [Reflector] runs in the goroutine that calls Run or Cycle. Any goroutine may ask for its
// status, or for a new list.
//
// # Testing
//
// scenario_test.go plays scripts from testdata, line by line. model_test.go plays random faults
// of a server in a bubble of testing/synctest: once they cease, the sink must agree with the
// server. A failure prints its seed; SEEDS=10000 plays more. order_test.go compares versions as
// big integers, also by a fuzz target.
package reflector

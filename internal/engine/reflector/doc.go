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
// A [Reflector] runs in the goroutine that calls Run or Cycle. Any goroutine may ask for its
// status, or for a new list. Once faults of the server cease, the sink agrees with it.
package reflector

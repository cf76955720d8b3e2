// Package show writes what an operator answered to a terminal or a file.
//
//	lines, tables, sentences ──▶ Printer ──▶ clean ───────────▶ terminal
//	answers as they came     ──▶ JSON, YAML ──▶ escape ───────▶ terminal
//
// Names, errors and values come from a server, and everybody who can write an object can choose
// many of them. A terminal obeys control characters: text that holds some can move the cursor,
// hide lines or change the title. So all text passes through one place that escapes them.
//
// # Concurrency
//
// One goroutine at a time may use a Printer. The functions have no state.
//
// # Testing
//
// The tests send canaries through each way out: an escape sequence, a C1 control character
// and a character that turns the direction of the text. A fuzz target looks for others.
package show

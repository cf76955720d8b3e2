// Package inspector shows an operator over HTTP: as JSON, as a stream of what happens, and as a
// page that shows both.
//
//	browser ──GET /delta/──────────────▶ page.go: index.html, scripts, styles
//	   ├─────GET /delta/v1/…───────────▶ read.go ────┐
//	   ├─────GET /delta/v1/deltas/stream▶ stream.go ──┼──▶ Subject ◀── implemented by the operator
//	   └─────POST /delta/v1/actions/…──▶ actions.go ─┘
//
// The list of routes in routes.go is the one source of all that is answered. A route takes the
// parameters and the body that it names, and refuses others: a misspelt filter must not look like
// an answer about everything.
//
// The handler does not ask who calls. It belongs behind a filter that does, such as the one of
// controller-runtime's metrics server, where a right to the verb post at a path of /delta/v1/actions/ is
// the right to act. Without such a filter it belongs on a loopback address, behind [Guard].
//
// Any number of goroutines may use the handler. A stream reads from the journal at its own pace. If its reader is
// slower than the journal forgets, it is told how many deltas it has lost. If its reader does not read at all, the
// stream ends with a time limit.
package inspector

// Package toyoperator is a small operator without a cluster. It is what the inspector's tests
// look at, in Go and in a browser.
//
//	Edit, Scale, Flood, Resync ──▶ internal/inspect/journal ──▶ internal/inspect/answers ──▶ deltas and streams
//	made up ────────────────────────────────────────────────────────────────▶ all other answers
//
// It has Sites, and for each a Deployment, a ConfigMap and a Pod. One Site always fails, one is
// being worked on for long, and over one the operator fights with another writer. One kind is
// forbidden. There is one call for each Site, and no other follows: a resync shows objects and puts
// requests into the queue, where they stay.
//
// It is test support: only _test.go files import it.
//
// # Concurrency
//
// All methods may be called from any goroutine. There are no goroutines in it.
//
// # Testing
//
// The tests of internal/inspect/inspector ask it everything that it can answer.
package toyoperator

// Package toyoperator is a small operator without a cluster. It is what the inspector's tests
// look at, in Go and in a browser.
//
//	Edit ──▶ object ──▶ journal of deltas ──▶ streams
//	            │
//	            └──▶ owner's request ──▶ queue ──Work──▶ journal of calls
//
// It has Sites, which own Deployments and ConfigMaps. One Site always fails, one is being worked
// on for long, and over one the operator fights with another writer. One kind is forbidden. Its
// actions really happen: a resync shows each object, and leads to calls.
//
// It is test support: only _test.go files import it.
//
// # Concurrency
//
// All methods may be called from any goroutine. There are no goroutines in it: the caller of Edit and
// Work drives it.
//
// # Testing
//
// A test follows an edit to the call that it leads to, and has streams with and without losses.
package toyoperator

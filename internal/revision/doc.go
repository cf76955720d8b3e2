// Package revision knows the order of resource versions.
//
//	Older("9", "10") ──▶ true        Older("a", "b") ──▶ false, as nothing is known
//	Union: versions of several scopes ──▶ the lowest, up to which everything is known
//
// # Concurrency
//
// The functions have no state. A [Union] is for one goroutine.
//
// # Testing
//
// order_test.go compares with big integers, also by a fuzz target.
package revision

// Package invariant checks in tests what must always hold, and costs nothing in
// a program that users run.
//
//	go build                      Enabled == false, the compiler drops the checks
//	go test -tags invariants      Enabled == true
//	go test -race                 Enabled == true
//
// A check must not change what the program does: the same calls with the same
// results, built either way.
//
// # Concurrency
//
// The package has no state.
//
// # Testing
//
// Its test runs in both builds: with the checks on a broken one panics, with
// them off it is free.
package invariant

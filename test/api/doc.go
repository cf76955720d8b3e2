// Package api pins the exported API of every package under pkg. It has tests and nothing
// else.
//
//	pkg/*.go ──parse──▶ what is exported ──▶ one line for each ──▶ equal to testdata/<package>.txt
//	                                               │
//	                                               └──▶ counted: it never grows unnoticed
//
// A change of the API is then seen in a diff of its own. Write it down with
//
//	go test ./test/api -update
//
// # Concurrency
//
// None.
//
// # Testing
//
// A second test reads a small package that exports one thing of each sort.
package api

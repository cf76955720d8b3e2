// Package api pins the exported API of every package under pkg. It has only tests.
//
//	pkg/*.go ──parse──▶ what is exported ──▶ one line for each ──▶ equal to testdata/<package>.txt
//	                                               │
//	                                               └──▶ counted: it never grows unnoticed
//
// So a change of the API shows in a diff of its own. To write the new list, run
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

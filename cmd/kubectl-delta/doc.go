// kubectl-delta is the plugin `kubectl delta`: it asks an operator's inspector why the operator
// does what it does, and lets it do some things.
//
//	kubectl delta why deployment/web
//	      │
//	      ▼
//	  a command ──▶ reach: Pods by label, leader by Lease ──▶ port-forward ──▶ token
//	      │                                                                      │
//	      │  GET why?kind=…                                                      ▼
//	      ├─────────────────────────────────────────▶ ask ──▶ /delta/v1/… of the operator
//	      │                                                                      │
//	      └──▶ show: tables, sentences, JSON, YAML ◀── the types of pkg/inspect/v1
//
// A command, or a few that are alike, is a file: status.go, why.go, actions.go and so on. It asks
// for one or a few routes and shows the answers. With -o json or yaml it shows them as they came.
//
// Ages are counted from the time in the answer, so this machine's clock does not matter.
//
// To install it, put the program into a folder of your PATH; kubectl finds it by its name.
//
// # Concurrency
//
// A command runs in the goroutine of main. page serves requests of a browser at the same time;
// they share nothing but the Keeper of the connection, which allows that.
//
// # Testing
//
// The tests run whole command lines against an inspector of their own and compare what is
// written with testdata. `go test -update .` writes it. One inspector puts characters that a
// terminal obeys into each text that it sends, and no command may print one.
package main

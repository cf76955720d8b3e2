// Package commands runs what the documents tell to type, and compares what comes out
// with what they show. It has tests and nothing else.
//
//	README.md, docs/**/*.md, …  ──Commands──▶  command
//	                                              │
//	      in places ──▶ it is run there, and the line that does it is looked for
//	      make target ─▶ what make would run, each as a command
//	      go … ────────▶ run here, in a shorter form; there must be tests that it chooses
//	      anything else ▶ fails: say in table_test.go where it is run
//
// # Concurrency
//
// None: one command runs at a time.
//
// # Testing
//
// What takes a command apart is tested in tables, and with commands that are wrong.
package commands

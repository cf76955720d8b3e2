// Package commands runs the commands in the documents, and compares their output with what
// the documents show. It has only tests.
//
//	README.md, docs/**/*.md, …  ──Commands──▶  command
//	                                              │
//	      in places ──▶ another test runs it; this one looks for the line that does
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
// The code that splits commands is tested with tables, and with wrong commands.
package commands

// Command demo shows what the sample operator does, and why, in a cluster of its own on
// this machine. It is what `make run` runs.
//
//	story.go ──kubectl──▶ control plane ◀── bin/sample-operator, a process of its own
//	   ▲                  internal/testing/controlplane  │ its log, line by line
//	   │                        │                        ▼
//	   │                        │ checks.go     lines ──▶ parse ──▶ printer ──▶ terminal
//	   │                        ▼                          │
//	   └──── next chapter ── show.go ◀──── journal ◀───────┘
//
// Most calls have nothing to write, and the demo only counts them. It does not do that with calls
// that a chapter waits for, or that a change of the Site itself has caused.
//
// A chapter of the story is a change that is made with kubectl. It ends when the cluster is
// in the expected state, and the operator has logged the expected reconciles: which change
// each was for, and what it wrote. If that does not happen in time, the demo fails.
//
//	bin/demo         tells the story, and stays until Ctrl-C
//	bin/demo -once   ends after the story, as make run ARGS=-once does
//
// The operator has the rights of its own service account. Its manifests are those of
// config/default, without the parts that would run it in the cluster. Everything listens on
// free ports of 127.0.0.1. All files are in the control plane's folder, and are deleted with
// it.
//
// # Concurrency
//
// One goroutine reads the operator's log, and another one tells the story. Both are tasks of
// one lifecycle.Group. They share the printer and the journal, which both have a lock.
//
// # Testing
//
// The unit tests render recorded lines of an operator's log, with and without colours. A fuzz
// test reads such lines. TestStory and TestCtrlC start the program itself, read all its output, and check that nothing is
// left when it has ended.
package main

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
// A chapter of the story is a change that is made with kubectl. It is over when the
// cluster is as it should be then, and the operator has told of the reconciles that this
// takes: which change each was for, and what it wrote. If that does not happen in time
// the demo fails.
//
//	bin/demo         tells the story, and stays until Ctrl-C
//	bin/demo -once   ends after the story
//
// The operator has the rights of its own service account, and its manifests are those of
// config/default, without what would run it in the cluster. Everything listens on free
// ports of 127.0.0.1. What is written goes to the control plane's folder, which is removed
// in the end, and to bin.
//
// # Concurrency
//
// The operator's log is read in one goroutine and the story told in another; both are
// tasks of one lifecycle.Group. They meet in the printer and in the journal, each of which
// has a lock.
//
// # Testing
//
// The unit tests render recorded lines of an operator's log, with and without colours,
// and fuzz what reads them. TestStory and TestCtrlC start the program itself, read all
// that it shows, and look for what is left when it has ended.
package main

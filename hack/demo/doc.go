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
// Calls that had nothing to write are gathered in one line (fold.go), for they are most.
// What a chapter waits for is never among them, nor is a change of a Site itself. In the
// end sum.go says what all of it took: how many calls, how many of the operator's steps
// ran in them, how long a Site waited in the queue.
//
// A chapter of the story is a change that is made with kubectl. It is over when the
// cluster is as it should be then, and the operator has told of the reconciles that this
// takes: which change each was for, and what it wrote. If that does not happen in time
// the demo fails.
//
//	bin/demo         tells the story, and stays until Ctrl-C
//	bin/demo -once   ends after the story, as make run ARGS=-once does
//
// With -record what is shown of the story is written to a text and, with its colours, to
// a picture: make recording keeps both in docs.
//
// The operator has the rights of its own service account, and its manifests are those of
// config/default, without what would run it in the cluster. make run builds what the story
// begins with. The demo has make build the rest of the cluster, as the story goes as far as
// it can without (complete.go). Everything listens on free
// ports of 127.0.0.1. What is written goes to the control plane's folder, which is removed
// in the end. The operator's manifests are there before the controllers of the cluster
// start, for the garbage collector looks for kinds once and then every thirty seconds.
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
// and fuzz what reads them. The picture of a recording is compared with a golden file, and
// read as XML. TestStory and TestCtrlC start the program itself, read all
// that it shows, and look for what is left when it has ended.
package main

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
// Most calls have nothing to write, and the demo gathers them in one line (fold.go). It
// leaves out those that a chapter waits for, and those that a Site's own change led to.
// In the end sum.go says what all of it took: how many calls, how many of the operator's
// steps ran in them, how long a Site waited in the queue.
//
// A chapter of the story is a change that is made with kubectl. It is over when the
// cluster is as it should be then, and the operator has told of the reconciles that this
// takes: which change each was for, and what it wrote. If that does not happen in time
// the demo fails.
//
//	bin/demo         tells the story, and stays until Ctrl-C
//	bin/demo -once   ends after the story, as make run ARGS=-once does
//
// With -record it writes the story to a text file as well and, with its colours, to a
// picture. make recording keeps both in docs.
//
// The operator has the rights of its own service account, and its manifests are those of
// config/default, without what would run it in the cluster. Everything listens on free
// ports of 127.0.0.1. All files are in the control plane's folder, and go with it.
//
// The story begins as early as it can (complete.go): make run builds etcd, the API server,
// kubectl and the operator, and the demo has make build the rest of the cluster meanwhile.
// The operator's manifests are there before that rest starts, because the garbage
// collector looks for kinds once, and then every thirty seconds.
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

// Package skip plays random operators in random worlds, and checks that an operator may
// safely skip the work that delta.From allows it to skip.
//
//	seed ──▶ plan: watches, jobs, steps            (plan, generate, filter, kinds, script)
//	           │
//	           ▼
//	         world ──writes, cuts, removals──▶ server   (in this process, or a real one)
//	           │                                 │
//	           │   manager: cache, queue, ledger ┘ what every object ever was
//	           │      │                 │                │
//	           │      ▼                 ▼                │
//	           │   diligent           lazy               │
//	           │   does every job     asks delta.From    │
//	           │   at each call       first              │
//	           │      └──── outputs ────┘                │
//	           ▼              ▼                          ▼
//	         story ◀─────── judge: is every skip right, does the end agree with the server?
//
// Two controllers of one manager have the same watches, predicates, handlers and jobs. A job
// reads a value from each object that belongs to a request, and writes it as output into a
// place that outlives the manager. The diligent operator shows that the plan is possible: if
// its output is wrong too, the world has asked for too much.
//
// # Who judges
//
// The judge checks each skip of the lazy operator while the world goes on, with package
// internal/testing/promise. At the end both operators must have the values of the server.
// The judge also checks that our predicates let through every change that they are asked for,
// that a resync is told as a resync, that every request reaches a worker, and that changes
// are incomplete only for a reason.
//
// # When one fails
//
// The test prints the stories of the first two worlds that fail. To play one seed again, or many:
//
//	SEEDS=319 go test ./test/skip -run '/seed=318$'
//	make skip SEEDS=20000
//
// The seed does not decide about the order of goroutines. To find a world again that fails
// once in a hundred times, use -count 100. With -failfast the story is not printed.
//
// # Across restarts
//
// TestSkippingIsSafeAcrossRestarts plays worlds in which the manager has a memory. Processes end in good order, or are killed
// at any moment. Objects change while nobody runs, and the next process finds the newest memory, an old one, a damaged one, or that of another
// cluster. The judge is the same, and what a killed process does after its death does not count.
//
// # On a real API server
//
// The same plans, operators and judge also run over etcd and kube-apiserver, in real time.
// Another watch records the states of every object. A test can't delay the watches of a real
// server. A world has come to rest when the
// cache has shown the last write of each kind and nothing has happened for a second.
//
//	make skip-real MINUTES=10
//
// They take real time, so only the tag slow compiles them.
//
// # Concurrency
//
// Several worlds run at the same time, each in a synctest bubble with a server, a manager and
// a clock of its own. Worlds on a real server run one after the other. An operator's mutex
// guards what it remembers, the server's mutex the states of objects, and the story's mutex
// the events. They are locked in this order, and nothing waits while one of the last two is
// held.
//
// # Testing
//
// The package has only tests. hack/mutants checks that they can fail: it has a fault for
// everything that a skip relies on.
package skip

// Package skip plays random operators in random worlds, and checks that it is safe to skip
// work because of what delta.From tells.
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
// Two controllers of one manager have the same watches, predicates, handlers and jobs. A
// job reads something of each object that belongs to a request, and puts it out into a
// world outside that outlives the manager. The diligent operator shows that the plan can be
// fulfilled: where it is wrong as well, the world has asked for too much.
//
// # Who judges
//
// While the world goes on, each job that the lazy operator was told it may skip is held
// against what the watches have shown by then, and against everything that the operator has
// read since its last success began: that is the promise of docs/guides/what-changed.md. In
// the end both operators have to have what the server has. Besides, our predicates hold back
// nothing that they are asked for, a resync is told as one, every request reaches a worker,
// and nothing is said to be unknown without a reason.
//
// # When one fails
//
// The story is told of a smaller plan in which the same goes wrong: with fewer steps,
// watches, jobs and objects, without failures, with one worker. Every draw is by the seed and
// by what it is for, so what is left out changes nothing about the rest. To play one seed
// again, or many:
//
//	SEEDS=319 go test ./test/skip -run '/seed=318$'
//	make skip SEEDS=20000
//
// The order of goroutines is not the seed's. A world that fails once in a hundred times
// is found again with -count 100. With -failfast nothing is shrunk.
//
// # On a real API server
//
// The same plans, operators and judge are played over etcd and kube-apiserver, in real time.
// Another watch remembers what every object was. Nobody can hold watches back there, and
// floods take too long, so these are left out. A world has come to rest when the cache has
// shown the last write of each kind and nothing has happened for a second.
//
//	make skip-real MINUTES=10
//
// # Concurrency
//
// Worlds are played side by side, each in a synctest bubble with a server, a manager and a
// clock of its own. Those on a real server are played one by one. An operator's mutex guards
// what it remembers, the server's what objects were, the story's what happened. They are taken
// in this order, and nothing waits under the last two.
//
// # Testing
//
// The package is tests alone. That they can fail is checked by hack/mutants, which has a
// fault for everything that a skip relies on.
package skip

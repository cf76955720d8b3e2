// Package hotloop finds requests that a controller is called for again and again, to no end.
//
//	worker ──Called(request, changes, now)──▶ table of requests ── not often ──▶ Calm
//	                                                 │ often
//	                                                 ▼
//	             each state with the one before it: paths, hashes of values, writers
//	                                                 │
//	      Fight ◀── two managers undo each other ────┤
//	  OwnWrites ◀── call after call, only own writes ┘
//	      │
//	      ▼
//	   Episode ──Defer──▶ how long to hold the request back
//
// # A fight
//
// A write is an undoing if it gives a path the very value that it had before the last write, and
// another manager made that one. Two managers fight if they undo each other eight times in a row.
// Any other write of the path starts the count again. So an honest writer is safe: its values move on, or
// nobody else writes them.
//
// A write that comes later than two minutes after the last one starts the count again: honest managers
// take turns, as one that wakes a workload and one that puts it to sleep.
//
// The managed fields of a state say who wrote a path: the manager that owns it after its value
// has changed. If an object has none, [delta.Change.Manager] says it.
//
// # Own writes
//
// A controller calls itself if 18 calls in a row were told nothing but own updates, all of the
// same path, none of them more than ten seconds after the one before. Anything else starts the count
// again: an error, a timer, an own creation.
//
// # Blind spots
//
//   - A change keeps 16 states between its first and its last. It can't show more, nor those that
//     were folded before it was recorded. A fight looks slower then. If each change hides
//     whole rounds, the fight is not seen at all.
//   - The managed fields do not say who removed a field. So setting and removing is not seen as a fight.
//   - Three managers in a row are not seen as a fight, nor are writes whose values are new each time, nor
//     two writers with one name.
//   - Without managed fields, two writes of the same second may have no known writer.
//   - A list without a schema is one value, unless its elements have a name or a type.
//   - A request is looked at from its sixth delta on, so that nobody needs a schema for a Pod that starts. Of one
//     request 8 objects are followed, and 32 paths of each. Of one call 64 states are compared, and 64 edits of each.
//
// # Secrets
//
// The package neither keeps nor shows a value. It compares values by hashes with a seed of the
// process. It keeps a pointer to the last state of each object that it follows.
//
// # Bounds
//
// A Watch knows the 4096 requests that were called last. Of one that is called often it keeps alive the last
// state of 8 objects. A request that was not called for 11 minutes is forgotten: nothing lasts longer,
// with the pace of Options.Slowest.
//
// # Concurrency
//
// Any goroutine may call a Watch. Its lock is not held while objects are compared. If a
// request is called twice at once, the second call only counts.
//
// # Testing
//
// Random worlds have a judge that knows who is guilty: each fight and each loop must be found
// in time and named, and no honest world may be accused (TestTheGuiltyAreNamed,
// TestOwnLoopsAreNamed, TestTheHonestAreNotAccused). Their objects have managed fields as a
// server keeps them. Their changes come from a real ledger, so they fold as in a program.
// `SEEDS=10000 go test ./internal/hotloop` plays more. One goroutine plays these worlds, so
// the race detector leaves them out.
package hotloop

// Package hotloop finds requests that a controller is called for again and again, to no end.
//
//	worker ──Called(request, changes, now)──▶ table of requests ── often? ── no ──▶ Calm
//	                                                                │ yes
//	                                                                ▼
//	                                       each state with the one before it: paths, values' hashes, writers
//	                                                                │
//	                           Fight ◀── two managers undo each other's writes of one path
//	                       OwnWrites ◀── call after call, nothing but the controller's own write of one path
//	                                                                │
//	                                       Episode ◀────────────────┘ ──Defer──▶ how long to hold it back
//
// # A fight
//
// A write is an undoing if it gives a path the very value that it had before the last write,
// which was another manager's. Two managers that undo each other [undoings] times in a row,
// without a write between that is none, fight. Nothing else counts, so an honest controller can
// not be taken for a fighter: its values move on, or nobody else writes them. It does not matter how fast the writes
// are, but one that comes later than Options.Slowest begins anew.
//
// The managed fields of a state say who wrote a path: who owns it, now that its value is another.
// Where there are none, [delta.Change.Manager] says it.
//
// # Own writes
//
// A row of [ownCalls] calls, each of which was told nothing but own updates, and all of these
// of the same path. Something else, such as an error, a timer, or an own creation, begins anew.
//
// # What can't be seen
//
//   - States that were folded away before a change was recorded, and those beyond the 16 that
//     a change keeps. A fight looks slower then. If each change hides whole rounds, it is not seen at all.
//   - Who removed a field: the managed fields do not say. So setting and removing is no fight.
//   - Fights of three, fights in which the values are new each time, and those of two writers
//     that use one name. Two of the same second can be told apart by what they own only.
//   - A list without a schema is one value, unless its elements have names.
//   - What happened before the request was called for the fourth time.
//
// # Secrets
//
// Nothing here keeps or shows a value. Values are compared by hashes with a seed of the process.
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
// TestTheHonestAreNotAccused). Their objects have managed fields as a server keeps them, and
// their changes come from a real ledger, so that they fold as they do in a program.
// `SEEDS=10000 go test ./internal/hotloop` plays more.
package hotloop

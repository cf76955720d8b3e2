// Package journal keeps the last deltas of each kind and the last calls of each reconciler, for
// somebody who asks later what has happened.
//
//	informer ──Begin, Add, End──▶ Deltas, one for each kind ──┐
//	                                                          ├──▶ Entries, Calls: newest first
//	worker ──────Note───────────▶ Calls, one for each ────────┤
//	                              controller                  └──▶ Follower ──Take──▶ somebody
//	                                 ▲
//	                   Run: measures, drops the oldest
//
// Entries and calls have their numbers from one counter, so that everything has an order. A number is
// never used again.
//
// # Bounds
//
// Two bounds hold together. Each kind and each controller keep no more than a number of
// entries. All of them together keep objects of no more than Limits.Bytes.
//
// [Journal.Run] measures the objects, at most once a second, so a writer does not wait for
// that. Run then drops the oldest entries over all kinds and controllers until the rest is within the
// limit. A state that several entries show counts once. An object's parts that are shared with
// another object count for both.
//
// Between two passes the numbers bound a flood. There is a second guard: entries that are not
// measured yet are taken to be of the average size of the last pass. If they would exceed the
// limit, the older half of them is dropped at once, with all that is older. Before the first
// pass no average is known.
//
// The objects of the first list are not kept, because they would flush everything.
//
// A follower holds places, and no entries. Beside the objects a journal knows the names of the last 512
// deltas of each kind that it has dropped, or fewer if there are many kinds. They tell a follower what it
// has lost.
//
// # Concurrency
//
// Any goroutine may call anything. Each kind and each controller has a lock of its own. A batch
// takes it once, and a reader or a follower holds it while it copies. A writer waits for no follower:
// a slow one loses the oldest entries, and hears how many.
//
// Nobody looks at an object under a lock: not who measures, and not the filter for field managers.
//
// # Testing
//
// The model is a list of everything that was noted (TestJournalAgainstModel): after each step
// the journal must show what the list shows under the same bounds.
// `SEEDS=10000 go test ./internal/journal` plays more. Objects of 1 MiB are noted in floods, and
// the limit is looked at after each pass (TestBytesAreBounded). A follower at a random pace must get
// each entry once or hear that it is lost (TestFollowersAgainstModel). Readers, writers and followers
// run at once for the race detector. BenchmarkNote measures what an informer pays.
package journal

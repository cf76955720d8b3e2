// Package journal keeps the last deltas of each kind and the last calls of each reconciler, for
// somebody who asks later what has happened.
//
//	informer ──Begin, Add, End──▶ Deltas, one for each kind ──┐
//	                                                          ├──▶ Entries, Calls: newest first
//	worker ──────Note───────────▶ Calls, one for each ────────┤
//	                              controller                  └──▶ Follower ──Next──▶ somebody
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
// Nobody who notes something waits until its objects are measured. [Journal.Run] measures
// at most once a second, and then drops the oldest entries over all kinds and controllers until
// the rest is within the limit. A state that several entries show counts once. Between two
// passes the numbers bound what a flood can leave. Also, if what is not measured yet would
// exceed the limit, given the average of what was measured, its older half is dropped at once. Before the
// first pass nothing is known of the average.
//
// The objects of the first list are not kept, because they would flush everything. They
// count.
//
// # Concurrency
//
// Any goroutine may call anything. Each kind and each controller has a lock of its own, which
// a batch takes once, and which a reader holds while it copies. A follower has a lock that is held for a few instructions. So
// nobody who notes something waits for a follower: a slow one loses the oldest, and hears how many.
// Objects are measured, and filters of readers look at them, without a lock. Only a live follower's
// filter looks at an object under the lock of its kind.
//
// # Testing
//
// The model is a list of everything that was noted (TestJournalAgainstModel): after each step
// the journal must show what the list shows under the same bounds.
// `SEEDS=10000 go test ./internal/journal` plays more. Objects of 1 MiB are noted in floods, and
// the limit is looked at after each pass (TestBytesAreBounded). Readers, writers and followers
// run at once for the race detector. BenchmarkNote measures what an informer pays.
package journal

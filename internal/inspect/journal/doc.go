// Package journal keeps the last deltas of each kind and the last calls of each reconciler, for
// somebody who asks later what has happened.
//
//	informer ──Begin, Add, End──▶ Deltas, one for each kind ──┐
//	                                                          ├──▶ Entries, Calls: newest first
//	worker ──────Note───────────▶ Calls, one for each ────────┤
//	                              controller                  └──▶ Follower ──Take──▶ somebody
//
// Entries and calls have their numbers from one counter, so that everything has an order. A number is
// never used again.
//
// Two bounds hold together: each kind and each controller keep no more than a number of entries, and all of them
// together keep objects of no more than Limits.Bytes. [Journal.Run] measures the objects, at most once a second,
// and drops the oldest, so a writer does not wait for that. Until the next pass, entries that are not measured are
// taken to be of the average size. If they would exceed the limit, about the older half of them is dropped at once,
// with all that is older. A state that several entries show counts once; a part that two objects share counts for both.
// The objects of the first list are not kept, because they would push out everything.
//
// Objects that a resync shows again, and the calls for nothing else, have an eighth of all room for themselves. So they push out
// each other, and no change.
//
// A writer waits for no follower: a slow one loses the oldest entries, and hears how many.
//
// Any goroutine may call anything. Nobody looks at an object under a lock.
package journal

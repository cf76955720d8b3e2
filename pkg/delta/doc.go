// Package delta is the vocabulary of delta-runtime: which object, what happened to it, and
// what it looked like before and after. A reconciler's author begins here:
//
//	controller ── calls ──▶ Reconcile(ctx, request)
//	                            │
//	                            ├─ From(ctx) ──▶ Changes ──▶ Change{Cause, Op, Old, New}
//	                            ├─ Plan(ctx) ──▶ Step ── On(kind, paths) ── Do(name, work)
//	                            └─ Settle(ctx), Keep(ctx)
//
// # Deltas
//
//	API server ──event──▶ Delta{Key, Op, New} ──applied to the store──▶ Delta{…, Old}
//	                                                                       │
//	                                                  subscribers, ledger ◀──┘
//
// A Delta begins with the object as the server sent it. It is complete once it is applied to
// the store: only then is it known what was there before. So only then is it known whether a
// relisted object is new, changed, or neither.
//
// # Folding
//
// A request that waits is told less often. One rule says how, for the changes that a ledger
// keeps for it:
//
//   - Runs of Updated and Sync of one UID become one, from the first old state to the last
//     new one, if they continue each other. So old→new is exact, only coarser.
//   - Nothing folds across a Deleted or an OutOfScope. A reconciler that knows an object is told
//     of its end, with its last state, even if another object has taken its name.
//   - Nothing folds into an Added. It stays as it was, and one Updated says what followed. So
//     what is checked of an object when it is born is checked on the newborn.
//
// # Changes
//
// A [Ledger] remembers for each request which changes it was made for, until the reconciler
// has succeeded with it. Its changes come from several watches, each at its own pace. So two
// of them fold only if they continue each other, and a change remembers the states between
// its Old and its New.
//
// [Changes.Touches] says whether a change touches a field, and [Change.Diff] what changed:
// see package diff. No log prints the objects of a Change or a Delta, whatever the verb or
// the encoder.
//
// A path that can't exist would rule out everything for ever, so paths are checked:
// [MustPath] when the program starts, and Touches in the kinds that are meant. A path that
// can't exist counts as touched, and the log says so.
//
// Most reconcilers use a [Step]: a named piece of work with what it depends on. It is judged by the changes that the
// call was told, each by itself, also at a retry.
//
// # Concurrency
//
// Most of this is plain data without locks. Ledger and the steps of a call have a lock
// each, and any goroutine may call them. A ledger has a second lock for what it knows of
// paths; nothing is called under it. All subscribers and the store share a Delta that has
// reached a subscriber: nobody may change it, nor the objects that it points to.
//
// # Testing
//
// The tests here are stories. Two others judge all of it together, by what a reconciler has read and the watches
// have shown: TestInterleavings in pkg/builder takes every way through small worlds, and test/skip plays random ones.
//
// TestSecretsAreNotLogged looks for secrets in what loggers write of random changes and
// deltas. `SEEDS=10000 go test ./pkg/delta` plays more.
package delta

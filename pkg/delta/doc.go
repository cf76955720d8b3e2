// Package delta is the vocabulary of delta-runtime: which object, what
// happened to it, and what it looked like before and after.
//
//	API server ──event──▶ Delta{Key, Op, New} ──applied to the store──▶ Delta{…, Old}
//	                                                                       │
//	                                                  subscribers, ledger ◀──┘
//
// A Delta is born in the Reflector with the object as the server sent it, and
// is completed when it is applied to the store: only then is it known what was
// there before, and so whether a relisted object is new, changed or neither.
//
// # What changed
//
// A [Diff] says what changed between two states of an object, in the field paths of
// server-side apply. It costs nothing until it is asked.
//
//	NewDiff(before, after, schemas)
//	   │
//	   ├─ both with a type: by schema, or deduced ─▶ structured-merge-diff ─▶ set of fields
//	   │                                                                         │
//	   │                             edits ◀── walk both objects along the set ◀─┘
//	   │                               │       (Secrets' values end here)
//	   │                               ├──▶ Paths, Edits, Touches, Empty
//	   │                               └──▶ String, MarshalJSON
//	   └─ Apply: the same walk without a limit and with all values ─▶ another object
//
// What is worth knowing:
//
//   - The order in lists that are sets or maps is not compared. It counts for nothing to
//     the API server's merging either, but for a few, such as the environment of a
//     container, it may to the program.
//   - A field that comes or goes with all that is in it is one edit, and Touches looks
//     into it.
//   - Touches is false only if a change is ruled out. Reconcilers can skip work by it,
//     and must not do work because of it.
//   - Of Secrets, and of objects that do not say what they are, an edit has what everybody
//     may see: the keys, the labels, the type. The values are not in the Diff's edits at
//     all, so that nothing can print them. Element keys and names of keys are shown.
//   - No log prints the objects of a Diff, a Change or a Delta, whatever verb or encoder it
//     has.
//   - To compare costs as much as to make a patch, and grows with the objects, not with
//     what changed; see BenchmarkDiff. What is kept and shown has bounds: 1,000 edits, 1,000
//     bytes of text, 8 KB of JSON.
//
// # Checked paths
//
// A path that can't exist would rule out everything for ever, so paths are checked.
//
//	MustPath, CheckPath ───────────────┐
//	Changes.Touches ─▶ kinds that are ─┤
//	                   meant, a cache  ▼
//	Diff.Touches ───▶ the Go type, or the schema of the kind ─▶ content of a place
//	                                                              │
//	                      PathError, what was meant ◀── no ── next step? ── yes ─▶ next place
//
// The description may leave something open, and then anything can exist there. A check
// makes a path touched that was not, and never the other way round.
//
// # Steps
//
// A [Step] is how most reconcilers use what changed: a named piece of work with what it depends
// on.
//
//	Plan(ctx) ── On(kind, paths) ──▶ Step ── Do(name, work) ──┬─ ruled out ──▶ skipped
//	                                                          └─ touched or unknown ──▶ runs
//	                                                                 │
//	                       Ledger ◀── Call.End: not dealt with ◀── an error or a panic
//
// Whether a step runs is judged by the changes that the call was told, each by itself, also at
// a retry. A step that fails makes its call one that has not dealt with what it was told. So the
// reason of the step is told again, with all others of the call, until a call succeeds. Nothing
// is remembered of a step but the counts by name, see [Ledger.Steps].
//
// # Whose write it was
//
// [Writes] remembers what a client has written, and from which version. So it can be
// told whether a change was its own.
//
// # Concurrency
//
// Everything here is plain data without locks, but for Diff, which compares when it is
// first asked and may be asked from anywhere, and for Ledger, Writes and the steps of a call,
// which have a lock each and may be called from anywhere. A ledger has another one for what
// is known of paths, under which nothing is called. A Delta that has reached a
// subscriber is shared by all subscribers and by the store: nobody may change it,
// nor the objects it points to, nor the values of an Edit.
//
// # Testing
//
// Key and its text form are two spellings of one thing (also fuzzed), and no Op prints as
// another. So are Path and its text.
//
// Diff has a model that compares JSON trees by recursion and has schemas of its own
// (diff_model_test.go, diff_shapes_test.go). Random pairs of Deployments, Pods, Services,
// ConfigMaps and custom objects, in all forms, with and without schemas, must have the
// model's edits, and Apply must make the new object of the old one (TestDiffAgainstModel);
// any two JSON objects, too (FuzzDiff). Secrets are looked for in everything that can be
// rendered of random Secrets (TestSecretsAreNotShown), and in what loggers write of random
// changes and deltas (TestSecretsAreNotLogged). Bounds are counted in bytes, edits and
// allocations. `SEEDS=10000 go test ./pkg/delta` plays more.
//
// Paths are checked in random objects of every kind that client-go knows, by type and by
// schema: what a Diff prints and what is there must pass (TestWhatADiffPrintsCanExist,
// TestWhatIsThereCanExist), and names that are misspelt must not (TestWhatIsMisspeltCanNot).
//
// Steps have a world as their model, which changes before, while and after its watches show it
// (TestStepsAgainstModel). When all is quiet, what the steps have made must be what they would
// make again, and with one watch for each kind a step must not run without a reason.
//
// Writes have a history as their model, in which every write of every author stands
// (TestWritesAgainstModel).
package delta

// Package delta is the vocabulary of delta-runtime: which object, what
// happened to it, and what it looked like before and after.
//
//	API server ──event──▶ Delta{Key, Op, New} ──applied to the store──▶ Delta{…, Old}
//	                                                                       │
//	                                                  listeners, ledger ◀──┘
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
//   - To compare costs as much as to make a patch, and grows with the objects, not with
//     what changed; see BenchmarkDiff. What is kept and shown has bounds: 1,000 edits, 1,000
//     bytes of text, 8 KB of JSON.
//
// # Whose write it was
//
// [Writes] remembers what a client has written, and from which version, for whoever wants
// to know whether a change was its own.
//
// # Concurrency
//
// Everything here is plain data without locks, but for Diff, which compares when it is
// first asked and may be asked from anywhere, and for Ledger and Writes, which have a lock
// each and may be called from anywhere. A Delta that has reached a
// listener is shared by all listeners and by the store: nobody may change it,
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
// rendered of random Secrets (TestSecretsAreNotShown). Bounds are counted in bytes, edits and
// allocations. `SEEDS=10000 go test ./pkg/delta` plays more.
//
// Writes have a history as their model, in which every write of every author stands
// (TestWritesAgainstModel).
package delta

// Package diff says what changed between two states of an object, in the field paths of
// server-side apply. A [Diff] costs nothing until somebody asks it something.
//
//	New(before, after, schemas)
//	   │
//	   └─ both with a type: by schema, or deduced ─▶ structured-merge-diff ─▶ set of fields
//	                                                                             │
//	                                 edits ◀── walk both objects along the set ◀─┘
//	                                   │       (Secrets' values end here)
//	                                   ├──▶ Paths, Edits, Touches, Empty
//	                                   └──▶ String, MarshalText
//
// Some facts about diffs:
//
//   - A Diff does not compare the order in lists that are sets or maps. The API server's
//     merging does not either. To a few programs the order matters: the environment of a
//     container is such a list.
//   - Touches is false only if a change is ruled out. A reconciler can skip work because of
//     it, and must not do work because of it.
//   - For a Secret, and for an object without a kind, an edit shows what everybody may see:
//     the keys, the labels, the type. The edits do not contain the values, so nothing can
//     print them. Keys of elements and of maps are shown.
//   - No log prints the objects of a Diff, whatever the verb or the encoder.
//   - A comparison costs as much as making a patch. The cost grows with the objects, not
//     with what changed; see BenchmarkDiff. A Diff keeps and shows no more than its bounds
//     allow: 1,000 edits and 1,000 bytes of text.
//
// # Concurrency
//
// A Diff compares when it is first asked. Any goroutine may ask it. Nobody may change the
// objects, nor the values of an Edit.
package diff

// Package store keeps the objects of one kind and finds them by key, namespace,
// index value and label, while one goroutine writes and any number read.
//
//	               hash of the key
//	                      │                namespace, index value, label
//	entries (hashTable) ──▼──┐                 │
//	  ┌────┬──────────┬────┐ │     postings ───▼────┐
//	  │    │ entry ●──┼────┼─┼─▶ entry{hash} ◀──────┤ sets of entries
//	  │    │ head ●   │    │ │   │ head             │
//	  └────┴──────┼───┴────┘ │   ▼                  │
//	              └──────────┼▶ version{name, obj, seq 12}  written by commit 12
//	                         │   │ prev             │
//	                         │   ▼                  │
//	View at commit 9 ────────┼▶ version{name, obj, seq 7}   kept because commit 9 is pinned
//
// The newest version stands in the table beside its entry, so that a read by key
// does not wait for the entry. Who comes from an index finds it by the entry.
//
// A commit has a number. A version of an object carries the number of the commit
// that wrote it, and a reader of commit n takes the newest version whose number is
// at most n. So a transaction can be written in full view of the readers, who take
// no notice of it until Commit stores the new number: that one store makes the
// whole batch visible, however large it is.
//
// A superseded version is thrown away at the commit that supersedes it, unless a
// view needs it. Then the newest such view keeps it in a list, and when that view
// is released the version passes to the next older view that needs it or goes.
// Without views there is one version of each object and nothing else.
//
// A posting lists the entries under one value of an index. It may list an entry
// for the sake of an older version, so a reader asks the version that it sees
// whether it belongs. Entries leave a posting when their last version in it goes.
//
// # Concurrency
//
// Reading methods, of [Store] and of [View], may be called by anyone. They wait
// for nobody: [Store.Get] takes no lock at all, the others hold a mutex for the
// few instructions it takes to note which commit they look at.
//
// Writing methods belong to one goroutine: [Store.Begin], the methods of [Txn],
// [Store.AddIndexers]. Several writers must agree among themselves. The right to
// change the structure is the mutex Store.write, which is held from Begin to
// Commit; readers only ever try it, to throw away what a released view kept or to
// build a label index, and if they fail the writer does it at its next Commit. An
// index grows some hundred entries at a time, and in between the writer is let in:
// his transactions file in it from its beginning, readers see it when it is whole.
// Order of locks: write, then pins.mu or wishes.mu; those two are never held
// together, nor while calling out.
//
// # Testing
//
// A model, a plain map that is copied for each view, runs beside the store through
// random scripts, and after each few steps the structure is compared with what can
// be worked out again from the versions. Readers that race a writer check that a
// batch is seen whole or not at all. client-go's Indexer runs through the same
// scripts side by side. The structures that were not chosen are test code here, so
// that the benchmarks which decided can be run again.
package store

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
// A version carries the number of the commit that wrote it, and a reader of commit n takes the newest version
// whose number is at most n. So a transaction is written in full view of the readers, and one store of the new
// number makes the whole batch visible, however large it is.
//
// A superseded version is thrown away at once, unless a view needs it. Then the newest such view keeps it, and
// when that view is released the version passes to the next older view that needs it or goes. A posting may list
// an entry for the sake of an older version, so a reader asks the version that it sees whether it belongs.
//
// Anyone may call the reading methods, of [Store] and of [View]. They wait for nobody: [Store.Get] takes no lock
// at all, the others hold a mutex for the few instructions it takes to note which commit they look at. The writing
// methods belong to one goroutine: [Store.Begin], the methods of [Txn], [Store.AddIndexers]. The right to change
// the structure is the mutex Store.write, held from Begin to Commit. Readers only ever try it, to throw away what
// a released view kept or to build a label index, and if they fail the writer does it at its next Commit. Readers see
// an index when it is whole.
package store

// Package memory saves the objects of a manager's cache, so that the next process can say what has changed while nobody
// ran.
//
//	kinds ──Snapshot──▶ Memory ── a file for each kind ──▶ Memory of the next process
//	                                                              │
//	subscribers ◀── Added, Updated, Sync, Deleted unnoticed ◀─Read┘ beside what the server lists
//
// Nothing is read from what was saved but the past. A process lists and watches as it would without a memory, its
// readers see what the server says, and the first call for each request knows that something may be missing. So a
// memory of another cluster, of a server that was restored, or of another executable makes what is told of the
// past wrong, and nothing else. So the files of kinds need not be of one moment, and each is replaced by itself.
//
// The package refuses a file of another cluster or of other selectors, and one that is damaged, sealed with
// another key, or in a format that this program does not read. The log has a line for each kind, and subscribers
// are told what there is, as without a memory.
//
// Any goroutine may call a [Memory]. One at a time saves. No file is touched under the lock. One process writes a
// directory; others read it, and the first of them that finds it free writes from then on.
package memory

// Package predicate has predicates for controller-runtime that go by what changed. They work
// with its builder and sources as well as with ours.
//
//	                ┌─ created, deleted, generic ──▶ passes, but NotOwnWrite holds back creations
//	event ──▶ which ├─ updated ──▶ does it touch what the predicate is about?
//	                │                ├─ yes, or not known ──▶ passes
//	                │                └─ no ────────────────▶ held back
//	                ├─ resynced, if somebody asked for it ──▶ see OnResync
//	                └─ updated, as a relist shows it ───────▶ see OnRelist
//
//	ChangedAt      passes updates that touch a field
//	NotStatusOnly  holds back updates of the status alone
//	NotOwnWrite    holds back what this client wrote
//	NotResync      holds back resyncs
//
// Each has a form for objects of one type, for sources with a type parameter:
// [TypedChangedAt] and so on. A file that also uses controller-runtime's package of this
// name imports ours as drpredicate.
//
// An update does not show everything. Our sources ask all predicates two more questions. Does a
// resync pass that somebody asked for? Does an update pass that a relist showed? A predicate
// answers by a method of its own: see [OnResync] and [OnRelist].
//
// # Concurrency
//
// Any goroutine may ask a predicate. Only NotOwnWrite waits, for up to a second: it waits
// for the answer to a write that the event may show.
//
// # Testing
//
// A random test changes objects, and compares what passes with a list of the changes. Another
// one has us and others write, over a watch that skips states: no predicate may hold back what
// others wrote. Package source tests how sources ask.
package predicate

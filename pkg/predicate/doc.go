// Package predicate has predicates of controller-runtime's kind that go by what changed.
// They work with its builder and sources as well as with ours.
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
// An update does not show everything. Our sources ask two more questions, of all
// predicates: does a resync that somebody asked for pass, and does an update that a relist
// showed? A predicate answers by a method of its own, see [OnResync] and [OnRelist].
//
// # Concurrency
//
// Any goroutine may ask a predicate. Only NotOwnWrite waits, for up to a second: it waits
// for the answer to a write that the event may show.
//
// # Testing
//
// Random changes of an object are held against a list of what was changed. Another random
// test has us and others write, and a watch that skips states: what others wrote is never
// held back. Package source tests how sources ask.
package predicate

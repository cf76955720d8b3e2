// Package path names the fields of objects: it reads paths, compares them, and checks
// whether objects of a kind can have such a field.
//
//	text ──Parse──▶ Path ── Touches, LeadsTo ──▶ are two paths about the same?
//	                 └─ Check, Must, Kind.LookUp
//	                       ▼
//	        the Go type, or the schema of the kind ─▶ content of a place
//	                                                    │
//	                    Error, what was meant ◀── no ── next step? ── yes ─▶ next place
//
// A path that can't exist would rule out everything for ever, so paths are checked. A
// description may leave something open. Then anything can exist there: a check makes a
// path touched that was not, and never the other way round.
//
// The package also tells the elements of a list from each other, by a [Shape], and finds
// the parts in which two states of an object differ, with [ChangedParts]. states.go says
// whether two states are the same without looking for what differs.
//
// A Path does not change once it is made, so any goroutine may use it. The facts about Go
// types are kept for good; a program has no more types than it was compiled with.
package path

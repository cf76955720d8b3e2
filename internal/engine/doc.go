// Package engine keeps a store in step with an API and tells subscribers every
// change. ARCHITECTURE.md follows an event through it, file by file.
//
//	Reflector ──Push, Replace, Bookmark──▶ DeltaFIFO ──Next─▶ Controller ──▶ Store ◀── readers
//	internal/engine/reflector                        ▲                   │
//	Subscribe ────────────join────────────────┤                   │ publish
//	Resync policy ────────sync, in chunks─────┘                   ▼
//	                                                          Processor ──▶ Subscriber ──▶ handler
//
// [Informer] puts the parts together and runs them. A kind may be kept in several parts ([Scope]). Each has a Reflector and an inlet into the FIFO, and
// everything behind that is shared.
//
// The caller of Run is the Controller: it alone writes the store, publishes to the log and lets subscribers join.
// Everything that may be called while it runs goes through the FIFO as an entry of its own, or takes the lock of
// one small type. No lock is held while a handler, a transform or the API is called. Informer.scoping and
// Informer.direct are rights more than locks: their holder may wait for the Controller, or for a Reflector that is
// to end. So an index function, and the one that [Informer.Write] is given, must call neither Write nor
// [Informer.AddIndexers].
//
// A handler that blocks keeps its own goroutine and its place in the log, and
// delays nobody else. One that never returns also keeps Run from returning.
package engine

// Package engine keeps a store in step with an API and tells subscribers every
// change.
//
//	API server
//	   │ list, watch                                 listwatch.go
//	   ▼
//	Reflector ──Push, Replace, Bookmark──▶ DeltaFIFO ──Pop──▶ Controller ──▶ Indexer ◀── readers
//	internal/reflector                     fifo*.go pile.go   controller.go  internal/store
//	                                          ▲                   │
//	Subscribe ────────────join────────────────┤                   │ publish
//	subscription.go                           │                   ▼
//	Resync policy ────────sync, in chunks─────┘               Processor ──▶ Subscriber ──▶ handler
//	resync*.go                                                processor.go   subscriber*.go
//	                                                          log.go
//
// The data path, file by file:
//
//  1. steps.go in internal/reflector: the states of listing and watching, one function each.
//     They tell a [reflector.Sink] what they learn.
//  2. fifo.go and fifo_replace.go: the [DeltaFIFO] is that sink. It compares what it
//     is told with what is known, and keeps what is news in the order of arrival.
//  3. controller.go: one goroutine pops everything that is pending, applies it to
//     the store in one step, and publishes what there is to tell.
//  4. log.go and subscriber_run.go: the subscribers read the published batches, each at
//     its own pace, and call their handlers.
//
// A kind may be kept in several parts ([Scope], scope.go): each has a Reflector and an
// inlet into the FIFO (fifo_inlet.go), and everything behind that is shared.
//
// [Informer] (informer.go) puts these together and runs them; [Lister] reads
// the store and refuses to before it is synced.
//
// # Concurrency
//
// An informer of one scope with one subscriber has four goroutines. They are tasks of one
// lifecycle.Group that ends with Run:
//
//   - the caller of Run is the Controller: it alone writes the store, publishes to the log
//     and lets subscribers join;
//   - each scope's Reflector feeds the FIFO;
//   - each subscriber's calls its handler;
//   - one keeps time: it begins resyncs, and looks for slow subscribers and for mutations.
//
// Everything that may be called while these run goes through the FIFO as an entry
// of its own or takes the lock of one small type. Asking what scopes there are takes none.
// The order of the locks is in internal/lock. No lock is held while a handler, a transform or
// the API is called. Informer.scoping and Informer.direct are rights more than locks: who
// holds them may wait for the Controller or for a Reflector that is to end. An index function,
// and the one that [Informer.Write] is given, run within a transaction of the store: they
// must call neither Write nor [Informer.AddIndexers], whose caller holds Informer.direct.
//
// A handler that blocks keeps its own goroutine and its place in the log, and
// delays nobody else. One that never returns also keeps Run from returning.
//
// # Testing
//
// Each structure has a model beside it that is driven through the same random
// script: fifo_model_test.go and fifo_inlet_model_test.go. informer_model_test.go and scope_model_test.go play
// random faults of a server in synctest bubbles, where subscribers rebuild the
// world from what they are told and must agree with the server in the end. A seed
// names its script: run it again with -run 'TestName/seed=N$', and more of them with
// SEEDS=10000.
package engine

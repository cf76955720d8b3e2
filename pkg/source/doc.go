// Package source has the sources that a controller of controller-runtime watches: [Kind], which
// calls an event handler, [NewDeltas], which calls a function, and [Channel]. They can tell a
// ledger why they make each request.
//
//	Cache ──GetInformer, again until there is one──▶ Informer
//	                                                    │
//	            not ours: AddEventHandler ──────────────┴──────────── ours: Subscribe
//	                        ▼                                               │
//	   EventHandler.OnAdd, OnUpdate, OnDelete                               │
//	                        │ callback.go makes a delta of it               │
//	                        └─────────────▶ delta.Delta ◀───────────────────┘
//	                                             │
//	                        ┌────────────────────┴───────────────────┐
//	                  Kind: EventHandler.deliver            NewDeltas: deliver
//	                        │ 1 begin: the ledger learns of it       │ 1 begin
//	                        │ 2 a typed event; ask the predicates    │ 2 objects.Convert
//	                        ▼ 3 handler.TypedEventHandler            ▼ 3 DeltaFunc
//	                        └───────────────────┬────────────────────┘
//	                                            │ Add, to a queue for this one delivery
//	                                            ▼
//	                                  the controller's queue
//
// # In place of controller-runtime's
//
// Kind is a struct here, so the functions that make one have other names. The line
//
//	source.Kind(mgr.GetCache(), &corev1.Pod{}, handler)
//
// becomes, with this package imported as drsource,
//
//	drsource.NewKind(mgr.GetCache(), &corev1.Pod{}, handler)
//
// and source.TypedKind becomes drsource.NewTypedKind. Arguments and results stay, and so do
// the texts of errors. Channel and TypedChannel are functions as theirs, with their options.
// Func and Informer remain controller-runtime's: one controller can have theirs and ours.
//
// Our sources are better in these ways:
//
//   - If the kind is not there yet, a source asks the cache again after 250 ms, and then less
//     and less often, up to every 10 s. Theirs always waits for 10 s. If the controller loses
//     patience, the error says what the cache said last.
//   - WaitForSync gives the same answer each time, and does not poll.
//   - When the context of Start ends, the source leaves the informer. A controller that is
//     stopped on its own costs the cache nothing any more.
//
// # With a ledger
//
// A source with a ledger calls its handler for each delta with a queue that is for this
// delivery alone:
//
//	handler ──Add──▶ recording queue
//	                  1 Ledger.Record(request, change)
//	                  2 the controller's queue: Add
//	                  3 Ledger.Landed(request)
//
// The recording queue has priorities exactly if the controller's has. A handler may keep it.
// The requests that it adds later, from any goroutine, are recorded with the delivery's
// change.
//
// Nobody is told of some objects: a scope was removed, or an object could not be read. To the ledger that is a gap. Handlers do not hear of
// OutOfScope, because they would clean up after objects that still exist. An informer that is
// not ours does not tell what it missed, so over one the ledger never knows of everything.
//
// If the policy of a resync has an OnlyIfNotReconciledFor, the source leaves out requests that
// have succeeded more recently, as the ledger knows.
//
// Without a ledger, the handler gets the controller's queue itself.
//
// # Predicates
//
// A Kind asks each predicate two questions that controller-runtime does not ask. Does a resync
// pass that somebody asked for? See [predicate.OnResync]. Does an update pass that a relist
// showed? See [predicate.OnRelist].
//
// # Concurrency
//
// Start does not wait. It starts one task, which ends with its context. Any goroutine may call
// WaitForSync. An informer keeps one goroutine for each subscriber. In it the source calls
// predicates and handlers, or the function, one call at a time. The context of a call ends when
// it returns. The source holds no lock while it calls anything. It logs a panic of the cache,
// and WaitForSync raises the panic again.
//
// # Testing
//
// Tests run against controller-runtime's fakes in synctest bubbles, where waiting costs
// nothing, and against our informers over client-go's fake API.
// controller-runtime's own tests of its sources pass as well. Package builder walks through
// the interleavings of small worlds. The test of how much memory stays has the tag slow.
package source

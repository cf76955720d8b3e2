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
//	                                             │ the ledger learns of it
//	                        ┌────────────────────┴───────────────────┐
//	                  Kind: predicates, and a handler        NewDeltas: DeltaFunc
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
// and source.TypedKind becomes drsource.NewTypedKind. Arguments, results and the texts of errors
// stay. Channel and TypedChannel are functions as theirs, with their options. Func and Informer
// remain controller-runtime's: one controller can have theirs and ours.
//
// If the kind is not there yet, a source asks the cache again after 250 ms, and then less and less
// often, up to every 10 s. If the controller loses patience, the error says what the cache said
// last. WaitForSync gives the same answer each time. When the context of Start ends, the source
// leaves the informer.
//
// # With a ledger
//
// The handler gets a queue for each delivery, and may keep it. The requests that it adds later,
// from any goroutine, are recorded with the delivery's change. That queue takes
// priorities, and ignores them if the controller's has none. Without a ledger, the handler gets the controller's queue itself.
//
// Nobody is told of some objects: a scope was removed, or an object could not be read. To the
// ledger that is a gap. Handlers do not hear of OutOfScope, because they would clean up after
// objects that still exist. An informer that is not ours does not tell what it missed, so over one
// the ledger never knows of everything.
//
// If the policy of a resync has an OnlyIfNotReconciledFor, the source leaves out requests that
// have succeeded more recently, as the ledger knows. A Kind asks each predicate about resyncs and
// relists, too: see [predicate.OnResync] and [predicate.OnRelist].
//
// # Concurrency
//
// Start does not wait. It starts one task, which ends with its context. Any goroutine may call
// WaitForSync. The source calls predicates and handlers, or the function, in the informer's
// goroutine for it, one call at a time. The context of a call ends when it returns. The source
// holds no lock while it calls anything. It logs a panic of the cache, and WaitForSync raises the
// panic again.
//
// # Testing
//
// Tests run in synctest bubbles, against controller-runtime's fakes and against our informers over
// client-go's fake API. controller-runtime's own tests of its sources pass as well. Package
// builder walks through the interleavings of small worlds.
package source

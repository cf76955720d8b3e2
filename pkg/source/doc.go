// Package source has the sources that a controller of controller-runtime watches:
// Kind, which calls an event handler, Deltas, which gives a function what our
// informers tell, and Channel. They can tell a ledger why they make each request.
//
//	 Cache ──GetInformer, again until there is one──▶ Informer
//	                                                     │
//	               ┌── AddEventHandlerWithOptions ───────┤
//	               ▼                                     │ ours only: Subscribe
//	EventHandler, predicates                             ▼
//	               │                              DeltaFunc
//	               ▼                                     │
//	  handler.TypedEventHandler                          │
//	               └───────────────▶ queue ◀─────────────┘
//
// # In place of controller-runtime's
//
// [Kind] is the struct, so the function that makes one has another name. The line
//
//	source.Kind(mgr.GetCache(), &corev1.Pod{}, handler)
//
// becomes, with this package imported as drsource,
//
//	drsource.NewKind(mgr.GetCache(), &corev1.Pod{}, handler)
//
// and source.TypedKind becomes drsource.TypedKind. Arguments and results stay, and so do
// the texts of errors. Channel and TypedChannel are functions as theirs, with their
// options. Func and Informer remain controller-runtime's: they stand beside ours in one
// controller.
//
// What is better:
//
//   - A kind that is not there yet is asked for again after 250 ms, and then less
//     and less often up to every 10 s, instead of always every 10 s. If the
//     controller's patience ends, the error says what the cache said last.
//   - WaitForSync may be called any number of times and gives one answer. Nothing is
//     polled meanwhile.
//   - When the context of Start ends, the handler is removed from the informer: a
//     controller that is stopped on its own costs the cache nothing any more.
//
// # With a ledger
//
// A [Kind] with a Ledger follows deltas of our informer, and calls its handler for each
// with a queue that was made for this delivery:
//
//	Informer ──delta──▶ predicates ──▶ handler ──Add──▶ recording queue
//	                                                     1 Ledger.Record(request, change)
//	                                                     2 the controller's queue: Add
//	                                                     3 Ledger.Landed(request)
//
// The recording queue passes all else through, and is a PriorityQueue exactly if the
// controller's is. It remembers its delivery for as long as somebody keeps it: what a
// handler adds to it later, from any goroutine, is recorded with that change.
//
// An object that nobody was told of for a reason, because its scope was removed, it could
// not be read or it came and went in a folded backlog, is a gap: the ledger learns that
// there was one. OutOfScope is not told to handlers. An informer that is not ours tells
// too little for that, so the ledger is told to trust nothing.
//
// Without a ledger and a resync policy of its own, a Kind calls its handler with the
// controller's queue itself. It adds an event handler only to informers that are not ours.
//
// A Sync is added in the lane of the resync's policy, and not at all for a request that
// has succeeded more recently than the policy's OnlyIfNotReconciledFor; the latter takes a
// ledger.
//
// # Predicates
//
// A Kind asks each predicate two more questions than controller-runtime does. Does a resync
// that somebody asked for pass? See [predicate.OnResync]. Does an update that a relist
// showed pass? See [predicate.OnRelist].
//
// # Concurrency
//
// Start does not wait. It starts one task, which ends with its context; WaitForSync
// may be called from any goroutine. Handlers, predicates and delta functions are
// called in the goroutine that the informer keeps for that subscriber, one call at a
// time; the context of a call ends when it returns. No lock is held while anything
// is called. A panic in the cache is logged and raised again by WaitForSync.
//
// # Testing
//
// Against controller-runtime's fakes in synctest bubbles, where waiting costs
// nothing, and against our informers over client-go's fake API.
package source

// Package source has the sources that a controller of controller-runtime watches:
// Kind, which calls an event handler, and Deltas, which gives a function what our
// informers tell.
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
// the texts of errors. Channel, Func and Informer remain controller-runtime's: they
// stand beside ours in one controller.
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
// # Concurrency
//
// Start does not wait. It starts one task, which ends with its context; WaitForSync
// may be called from any goroutine. Handlers, predicates and delta functions are
// called in the goroutine that the informer keeps for that listener, one call at a
// time; the context of a call ends when it returns. No lock is held while anything
// is called. A panic in the cache is logged and raised again by WaitForSync.
//
// # Testing
//
// Against controller-runtime's fakes in synctest bubbles, where waiting costs
// nothing, and against our informers over client-go's fake API.
package source

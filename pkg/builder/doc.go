// Package builder makes controllers as controller-runtime's builder does. Besides, they can
// tell their reconcilers what changed.
//
//	For, Owns, Watches ──▶ pkg/source's Kind ─┐
//	WatchesRawSource ─────▶ any source ───────┤ Add
//	                                          ▼
//	                               internal/ledger/recording's ──Record, Landed──▶ Ledger
//	                                        queue                            │
//	                                          │ Add                          │
//	                                          ▼                              │ Take, Settle
//	                                   ctrlqueue's queue                     │
//	                                          │ a request                    ▼
//	                                          └──────▶ worker ──▶ recordedReconciler
//	                                                                         │ Ledger.Begin
//	                                                                         ▼
//	                                                                  your reconciler: delta.From(ctx)
//
// # In place of controller-runtime's
//
// Methods, functions, options, names of controllers, keys in logs and texts of errors are
// those of sigs.k8s.io/controller-runtime/pkg/builder. Exchange that import in a file, and the
// file compiles and its controllers do what they did. A project that kubebuilder made says
// ctrl.NewControllerManagedBy(mgr); that becomes
//
//	builder.ControllerManagedBy(mgr)
//
// controller-runtime's controller.NewTyped makes the controller itself. Workers, metrics,
// leader election, warm-up, timeouts and recovery from panics are what they were. Three things
// are ours:
//
//   - The queue is that of pkg/queue/ctrlqueue, unless the options have a NewQueue. With
//     UsePriorityQueue switched off it is the one without priorities.
//   - The sources are those of pkg/source. If the cache's informers are not ours, the sources
//     still say why they make a request, but reconcilers never hear of everything.
//   - The ledger, which [TypedBuilder.WithoutLedger] leaves out.
//
// Options that somebody wrote for controller-runtime's builder set fields that nobody else can
// read. They do not fit our builder.
//
// # With a ledger
//
// A handler gets a queue for one delivery, which adds to the controller's queue. It has
// priorities exactly if the controller's has, but it is another queue. A handler that looks for
// a queue type of its own needs [TypedBuilder.WithoutLedger].
//
// A reconciler that returns Result{}, nil has dealt with what it was told. After an error of
// any kind, a panic, RequeueAfter or Requeue it is told again, in front of what is new.
// [delta.Settle] and [delta.Keep] say otherwise.
//
// A [delta.Step] may fail although the reconciler returns neither its error nor a wish to be
// called again. Then the controller gets the step's error, so that it retries, unless all steps
// that failed did so with a TerminalError. A step that depends on a kind which nobody watches
// always runs. A kind is watched once a source of ours has told the ledger what is there; For,
// Owns and Watches make such sources. A raw source of somebody else's does not say what it shows.
//
// # Concurrency
//
// A builder is for one goroutine. The manager runs what it makes. Nothing here starts a
// goroutine.
//
// # Testing
//
// A walk goes through all interleavings of small worlds of one object, one request and two
// watches (interleave_test.go). The sources, ledger, queue and recorded reconciler are the real
// ones. The informers' events and the worker's loop are the test's. A judge knows which states a
// reconciler could have seen, and what the watches have shown; whether a skip is safe it asks
// internal/testing/promise, as test/skip does. SEEDS=1000 walks through larger
// worlds. controller-runtime's own builder suite passes on it, and test/skip runs it against a
// real API server.
package builder

// Package builder makes controllers as controller-runtime's builder does, which besides
// can tell their reconcilers what changed.
//
//	For, Owns, Watches ──▶ pkg/source's Kind ─┐
//	WatchesRawSource ────▶ ControllerQueue ───┤ for each delivery
//	                                          ▼
//	                                   recording queue ──Record, Landed──▶ Ledger
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
// those of sigs.k8s.io/controller-runtime/pkg/builder, so that a file in which only that
// import is exchanged compiles and goes on as before. A project that kubebuilder made says
// ctrl.NewControllerManagedBy(mgr); that becomes
//
//	builder.ControllerManagedBy(mgr)
//
// The controller itself is controller-runtime's, made by its controller.NewTyped: workers,
// metrics, leader election, warm-up, timeouts and recovery from panics are what they were.
// Three things are ours:
//
//   - The queue is that of pkg/queue/ctrlqueue, unless the options have a NewQueue. With
//     UsePriorityQueue switched off it is the one without priorities.
//   - The sources are those of pkg/source. Over a cache whose informers are not ours they
//     attribute as well, but what reconcilers are told is never complete.
//   - The ledger, which [TypedBuilder.WithoutLedger] leaves out.
//
// Options that somebody wrote for controller-runtime's builder are for its own ForInput and
// its like, whose fields nobody else can read: they do not fit ours.
//
// # With a ledger
//
// What a handler is given is a queue made for that one delivery, which passes everything
// on to the controller's. It has priorities exactly if that one has them, but it is not
// that one: a handler that looks for a queue type of its own has to be built
// [TypedBuilder.WithoutLedger].
//
// A reconciler that returns Result{}, nil has dealt with what it was told. After an error of
// any kind, a panic, RequeueAfter or Requeue it is told again, in front of what is new.
// [delta.Settle] and [delta.Keep] say otherwise.
//
// The paths that a reconciler asks about are checked: those of [TypedBuilder.WithPaths] when
// the controller is built or the manager starts, others when they are first asked for.
//
// If a [delta.Step] fails and the reconciler returns neither its error nor a wish to be called
// again, the controller gets the step's error, so that it retries, unless all steps that
// failed did so with a TerminalError. A step that depends on a kind
// that For, Owns and Watches do not name always runs, unless a raw source may show that kind.
//
// # Concurrency
//
// A builder is for one goroutine. What it makes is run by the manager. Nothing here starts
// a goroutine, and nothing has a lock but the ledger, whose own is held for a few map
// accesses at a time.
//
// # Testing
//
// A model plays random events through random mappings, workers and failures in a synctest
// bubble, and every change that is told is compared with those that happened.
//
// A walk goes through all interleavings of small worlds of one object, one request and two
// watches (interleave_test.go): with predicates that hide a state, queues that are kept,
// relists and failures, and with steps in the middle of a delivery and of a call.
//
//	server ─▶ informer ─▶ watch, a thread ─▶ Kind, ledger, queue ─▶ worker, a thread ─▶ reconciler
//	             │             │                                        │                    │
//	             └─────────────┴── the walk says who takes a step ──────┘                  judge
//
// The judge knows which states a reconciler could have seen, and what the watches have shown.
// The sources, ledger, queue and recorded reconciler are the real ones. The informers' events
// and the worker's loop are the test's. SEEDS=1000 walks through larger worlds.
//
// controller-runtime's own builder suite passes on it, and test/operator runs it against a
// real API server.
package builder

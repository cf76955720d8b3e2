// Package queue has the data types of the product's queue: what is in the queue, its
// numbers, and the options of an add. Package ctrlqueue makes the queues. A controller of
// package builder has one by default.
//
//	Add ───────────────────────────────────┐
//	                                       ▼
//	AddAfter,         ┌─────────┐ due ┌─────────────┐ Get ┌──────────────┐ Done
//	AddRateLimited ──▶│ delayed │────▶│ lane of its │────▶│ a worker has │─────▶ forgotten
//	                  └─────────┘     │ priority    │     │ the key      │
//	                       │          └─────────────┘     └──────────────┘
//	                     Cancel            ▲      if it was      │
//	                                       └─────────────────────┘
//	                                        added again meanwhile
//
// A key says what to work on, mostly the name of an object. One worker at a time has a key.
// A key that is added several times before a worker gets it is handed out once. A key that
// is added while a worker has it is handed out again later.
//
// # Priorities
//
// Each priority has a lane, and the queue hands out the keys of the highest lane first. In
// a lane the oldest key comes first. controller-runtime's handlers give priority -100 to
// the objects of the first list and of a resync, so that real changes overtake them. A
// reconciler may set another priority in reconcile.Result.Priority. A handler may set it in
// AddWithOpts.
//
// A stream of high priorities would starve the low ones. To avoid that, one turn in four goes to
// the key that has been queued longest, if that is longer than 30 seconds. [Ageing] has both
// numbers, and the bound that follows.
//
// # Delayed adds
//
// AddAfter and reconcile.Result.RequeueAfter delay an add. So does AddRateLimited after an
// error. The delayed adds of a key become one, which has the earliest time. Contents shows
// that time as [Entry.Due]. Cancel removes the delayed add, and Replace gives it another
// time and priority.
//
// # Looking into a queue
//
// Contents shows why a worker does not get a key, and Stats has the numbers. A priority queue of
// ctrlqueue has both methods, as the example shows. For a queue with another interface,
// ctrlqueue.Inspect returns them. To look into a controller's queue, set
// controller.Options.NewQueue to a function that calls ctrlqueue.NewQueue and keeps the result.
//
// # Draining
//
// ShutDownWithDrain ignores new adds, drops the delayed ones, and waits until the workers
// have finished all queued keys. ShutDown does not wait.
//
// # Concurrency
//
// This package has only data. An Entry and Stats are copies: the queue does not change them
// after it has returned them. The tests of the queue are in internal/keyqueue and ctrlqueue.
package queue

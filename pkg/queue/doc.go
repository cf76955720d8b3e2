// Package queue holds the words in which the product's queue speaks to an operator: what is
// in the queue, what its numbers are, and how to add a key. The queues themselves come from
// package ctrlqueue, and a controller of package builder has one by default.
//
//	      Add, AddAfter, AddRateLimited                            Get                 Done
//	                    │                                           ▲                   │
//	                    ▼                                           │                   ▼
//	with a delay ──▶ delayed ──when due──▶ lane of its priority ──turn──▶ a worker has the key
//	                  │   ▲                 ▲                                           │
//	            Cancel│   │Replace          └──── if it was added again meanwhile ◀─────┘
//	                  ▼   │
//	             Contents and Stats show all of it at any time
//
// A key says what to work on, mostly the name of an object. One worker at a time has a key.
// A key that is added several times before a worker gets it is handed out once. A key that
// is added while a worker has it is handed out again later.
//
// # Priorities
//
// Each priority has a lane, and the queue hands out the keys of the highest lane first. In
// a lane the key that was queued first goes first. controller-runtime gives priority -100
// to the objects of the first list and of a resync, so that real changes overtake them. To
// use more priorities, a reconciler sets reconcile.Result.Priority, and a handler sets the
// priority in AddWithOpts.
//
// # Ageing
//
// A stream of high priorities would starve the low ones. To avoid that, one turn in four
// goes to the key that has been queued longest, if it has waited for more than 30 seconds.
// [Ageing] has both numbers, and the bound that follows.
//
// # Delayed adds
//
// AddAfter and reconcile.Result.RequeueAfter delay an add. So does AddRateLimited after an
// error. The delayed adds of a key become one, which is the earliest. Contents shows it as
// [Entry.Due], Cancel removes it, and Replace gives it another time and priority.
//
// # Looking into a queue
//
// Contents answers why a key does not come: it is being worked on, queued behind others,
// or delayed after so many Attempts. Stats has the depth of each lane, the slowest worker,
// and the histograms of waiting and working. ctrlqueue.Inspect gives access to both, as the
// example shows.
//
// # Draining
//
// ShutDownWithDrain ignores new adds, drops the delayed ones, and waits until the workers
// have finished all queued keys. ShutDown does not wait.
//
// # Concurrency
//
// This package has data only. An Entry and Stats are copies, which the queue never changes
// after it has returned them. Stats.Depth is a map of the caller's own.
//
// # Testing
//
// The example is run. The tests of internal/keyqueue compare the queue with a model, and
// check that its histograms keep the bounds that this package documents.
package queue

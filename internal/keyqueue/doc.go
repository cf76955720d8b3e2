// Package keyqueue decides which key a worker gets next, and when. It is the core of the
// queues in pkg/queue/ctrlqueue.
//
//	Add, AddWithOptions, AddLimited                  Get, GetWithPriority  Done
//	          │                                         ▲                   │
//	──────────┼────────── Queue: lock, alarm, waiting ──┼───────────────────┼────
//	          ▼                                         │                   ▼
//	      merge with what the key has ─▶ timers ─▶ lanes, by priority ─▶ being
//	          ▲                            │           with ageing     worked on
//	          │                         Cancel                              │
//	          └─────────────── added again meanwhile ◀──────────────────────┘
//	                      schedule: no lock, no clock, no goroutine
//
// A key is any comparable value; the package knows nothing of Kubernetes. One worker at a
// time has a key. A key that is added several times before it is handed out is handed out
// once. A key that is added while a worker has it is handed out again afterwards. A Merge
// policy says how several adds become one.
//
// The schedule makes all decisions. It is a data structure whose calls take the time as an
// argument and return. The Queue around it holds the lock, lets workers sleep, and sets one
// alarm for the timer that is due first. The Queue needs no goroutine: a worker that asks
// for a key also queues the keys that are due. The alarm does it when no worker asks.
//
// # Bounds
//
// Nothing starves: see queue.Ageing. The number of keys has no bound, because each of them
// needs work. A key of two strings costs about 180 bytes while the queue knows it, and
// nothing afterwards. The statistics have a fixed size. Contents returns as many keys as
// the caller asks for.
//
// # Concurrency
//
// Any goroutine may call any method of Queue. An add takes a few hundred nanoseconds under
// a lock. The queue asks the limiter before it takes that lock, and calls the observer
// after it has released it. It calls an Order and a clock with the lock held.
//
// Queue has two locks. telling orders the calls of the observer, and door guards the data.
// telling is taken before door. A caller's own clock is read under a third lock, which is
// taken last. Where many goroutines want to pass the door, all but one sleep, and each gets
// its turn in the order in which they fell asleep. Builds that check invariants also take a
// mutex inside the door, which checks the order of locks.
//
// A key that becomes ready wakes one worker, if one sleeps. A worker that was woken and did
// not look for a key yet counts for the next key. So no key waits while all workers sleep, and
// no more workers wake up than there are keys.
//
// # Testing
//
// Random scripts compare the schedule with a model, which is a plain list of keys. Other
// scripts compare the table, the timers and the lanes beneath it with simpler structures.
// SEEDS sets how many scripts run. The Queue is tested in synctest bubbles, where hours
// cost nothing and a test fails when a goroutine is left over. There a wake-up that is lost
// fails at once, because then everybody waits. The Queue is also tested under load with the
// race detector: there must be an order of all calls that explains what each of them saw.
package keyqueue

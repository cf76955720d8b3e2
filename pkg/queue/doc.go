// Package queue decides which key a worker gets next, and when.
//
//	Add, AddWith, AddLimited                         Get, Take          Done
//	          │                                         ▲                │
//	──────────┼────────── Queue: lock, alarm, waiting ──┼────────────────┼────
//	          ▼                                         │                ▼
//	      merge with what the key has ─▶ timers ─▶ lanes, by priority ─▶ being
//	          ▲                            │           with ageing     worked on
//	          │                         Cancel                           │
//	          └─────────────── added again meanwhile ◀───────────────────┘
//	                      schedule: no lock, no clock, no goroutine
//
// A key is any comparable value; the package knows nothing of Kubernetes. A key
// is handed to one worker at a time. However often it is added before it is
// handed out, it is handed out once; added while it is being worked on, it is
// handed out again afterwards. How several adds become one is a [Merge] policy.
//
// Everything that is decided is decided by the schedule, a data structure whose
// calls take the time and return. The Queue around it holds the lock, puts
// workers to sleep, and sets one alarm for whatever is due first. There is no
// goroutine: a worker that asks for a key queues what is due on the way, and the
// alarm does it when no worker asks.
//
// # Bounds
//
// Nothing starves: see [Ageing]. The number of keys is not bounded, as it is the
// number of things that need work; a key of two strings costs about 180 bytes
// while it is known, and nothing when it is not. Statistics are of fixed size, [Queue.Contents] is
// as long as it is asked to be.
//
// # Concurrency
//
// Every method of Queue may be called from any goroutine. Adding is a few
// hundred nanoseconds under a lock that is never held while calling out: the
// limiter is asked before, the observer is told after. The exceptions are an
// [Order] and a clock, which are called with the lock held and say so.
//
// Queue has two locks: the one that orders what the observer is told is taken
// before the one that guards the data. A clock of somebody else's is read under a
// third, which is taken last.
//
// # Testing
//
// The schedule is run against a model, a plain list of keys, by random scripts;
// so are the table, the timers and the lanes beneath it. SEEDS sets how many
// scripts run. The Queue is tested in synctest bubbles, where hours cost nothing
// and a goroutine left over fails the test, and under load with the race detector.
package queue

// Package keyqueue decides which key a worker gets next, and when. It is the core of the
// queues in pkg/queue/ctrlqueue.
//
//	Add, AddAfter, AddWithOptions                    Get, GetWithPriority  Done
//	──────────┼────────── Queue: lock, alarm, waiting ──┼───────────────────┼────
//	          ▼                                         │                   ▼
//	      merge with what the key has ─▶ timers ─▶ lanes, by priority ─▶ being worked on
//	          └─────────────── added again meanwhile ◀──────────────────────┘
//	                      schedule: no lock, no clock, no goroutine
//
// One worker at a time has a key, which is any comparable value. A key that is added several times before it is
// handed out is handed out once. One that is added while a worker has it is handed out again afterwards. A Merge
// policy says how several adds become one. Nothing starves: see queue.Ageing. The number of keys has no bound,
// because each of them needs work; a key costs about 180 bytes while the queue knows it, and nothing afterwards.
//
// The Queue needs no goroutine: a worker that asks for a key also queues the keys that are due, and
// an alarm does it when no worker asks. A key that becomes ready wakes one worker, if one sleeps. A worker that was
// woken and did not look for a key yet counts for the next key. So no key waits while all workers sleep.
//
// Any goroutine may call any method of Queue. It calls the observer, an Order and a clock with its lock held.
package keyqueue

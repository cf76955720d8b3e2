// Package differential asks our cache and controller-runtime's the same questions
// and compares every answer. It has tests and nothing else.
//
//	                  seed
//	                   │
//	   ┌───────────────┼──────────────────┐
//	   ▼               ▼                  ▼
//	options         writes            questions
//	   │               │                  │
//	   │               ▼                  │
//	   │       kube-apiserver ──▶ etcd    │
//	   │        │          │              │
//	   ▼        ▼          ▼              ▼
//	theirs.Cache            ours.Cache ◀──┤
//	   │  ▲                     │         │
//	   │  └─────────────────────┼─────────┘
//	   ▼                        ▼
//	answer, events ═══════ answer, events      compared, errors too
//
// A game has rounds. In each, objects are written, a beat is waited for, the events
// that the handlers were told are compared, and then questions are asked of both
// caches while nothing is written. Around that informers are made and removed,
// indexes and handlers come, also before Start, and a few questions are asked after
// the end.
//
// # Waiting
//
// In each namespace there is one object of each kind, the marker, that every
// selector of the options selects. A beat writes a number into every marker; once
// the handlers of both caches have been told of it, everything before it is in both
// caches, for an informer sees the changes of a namespace in order. Which markers a
// cache has to show is what controller-runtime's showed when it had synced.
//
// # What is compared
//
// Objects deeply, with whether their kind is set, whether what they hold is shared
// with the cache, and what becomes of the object that was handed in. Lists as sets,
// with their ListMeta and whether no items means nil. Errors by whether there is one,
// by what callers can tell them apart with, and by their text. Of each handler, for
// each object, the sequence of what it was told, but for updates that change nothing.
// Where the answers may differ, the table in errors_test.go and the comparison of
// pages in pages_test.go say so, and why.
//
// # Reproducing a seed
//
// A failing test prints its seed, the options, and what was asked. The seed is in
// its name:
//
//	SEEDS=13 go test ./test/differential -run 'TestCaches/seed=12$'
//
// SEEDS is how many games are played, 6 by default. A game takes a second or two.
//
// # Concurrency
//
// A game is one goroutine. Recorders are called from the informers' goroutines and
// have a lock each, which is never held while something is called.
//
// # Testing
//
// TestGamesBite plays with a cache that lies in one way each, and must notice.
package differential

// Package differential asks our cache and controller-runtime's the same questions, and
// compares every answer. It has only tests.
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
// A game has rounds. In a round the test writes objects, waits for a beat, and compares the
// events of the handlers. Then it asks both caches questions while nothing is written.
// Between rounds, and also before Start, it makes and removes informers, and adds indexes and
// handlers. It asks a few questions after the end.
//
// # Waiting
//
// In each namespace there is one object of each kind that every selector of the options
// selects: the marker. A beat writes a number into every marker. When the handlers of both
// caches have seen that number, both caches have everything before it, because an informer
// sees the changes of a namespace in order. A cache has to show the markers that
// controller-runtime's cache showed when it had synced. After its writes the test also waits for the
// server's watch caches, because an informer that is made later may be shown what those have.
//
// # What is compared
//
// Objects are compared deeply. It is also compared whether their kind is set, whether they
// share memory with the cache, and what happens to the object that the caller passed. Lists
// are compared as sets, with their ListMeta, and whether an empty list is nil. Errors are
// compared by whether there is one, by their classes and by their text. For each handler and
// each object the sequence of events is compared, except updates that change nothing. Some
// answers may differ: the table in errors_test.go and the comparison of pages in
// pages_test.go say which, and why.
//
// # Reproducing a seed
//
// A failing test prints its seed, the options and the questions. The seed is in its name:
//
//	SEEDS=13 go test ./test/differential -run 'TestCaches/seed=12$'
//
// SEEDS is how many games are played, 5 by default. A game takes a second or two.
//
// # Concurrency
//
// A game is one goroutine. Recorders are called from the informers' goroutines and
// have a lock each, which is never held while something is called.
//
// # Testing
//
// The tests are tested: hack/mutants has faults of our cache, and thirty games have to find each of them.
// TestKindsThatDoNotSync waits for what never comes. So only the tag slow compiles it.
package differential

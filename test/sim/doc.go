// Package sim drives whole informers, and their queue, through random scripts. It has only
// tests.
//
//	            seed
//	             │
//	             ▼
//	          script  writes, outages, relists, restores, stalls, handlers that
//	             │    come and go, indexes added midway
//	   ┌─────────┴──────────┐
//	   ▼                    ▼          each in a bubble with a clock of its own
//	server               server       versions, history, 410, streaming lists,
//	   │ list / watch       │          pages, bookmarks, duplicates, faults
//	   ▼                    ▼
//	informer (ours)      informer (client-go's)
//	   │                    │
//	   ▼                    ▼
//	recorders            recorders    what each handler was told, key by key
//	   │                    │
//	   ├──── compare ───────┤
//	   ▼                    ▼
//	transcript ──▶ chronicle          what has to be told, given what the server sent
//
// There are two kinds of script. A paced script waits after each step until the informer has
// caught up. The server fails only in ways that leave an informer no choice. So both
// informers must tell the same, whatever their back-offs are. A stormy script waits for
// nothing. Chance decides when an informer lists again and what it finds then. But what it
// tells has to follow from that.
//
// The server is the one of internal/testing/apifake, which test/contract compares with the
// real one. This package adds the faults between the server and its client.
//
// # What is compared
//
// For each handler and each key the sequence of calls is compared: additions (and whether
// they were initial), updates with the revision before and after, deletions (and whether they
// were missed). The order among keys is not compared, because no informer promises one. Two
// things are left out:
//
//   - Updates that change nothing. Up to the first resync check client-go tells every handler
//     about objects that a relist has found unchanged, and later only the handlers that had
//     the last resync. It also tells about each event that the server sends twice. A handler
//     must accept both. It is checked that such a call shows the state that the handler
//     already has, and that there is a reason for it.
//   - Deletions of absent objects. Client-go passes on a DELETED event for an object that it
//     does not have. Its DeltaFIFO does not, and ours does not either.
//
// The scripts avoid situations in which the two informers get different things. A watch that
// ends within its first second without an event makes client-go list again, so outages begin
// later. An error of a watch other than "connection refused" or 429 does so too. So such
// errors come together with a compaction, after which every informer has to list again.
//
// # What is checked without a peer
//
// The chronicle is the model: it goes through the transcript with a map, and knows nothing
// about queues, batches and goroutines. It is compared with
//
//   - every handler: there has to be a point of the transcript so that the handler was told
//     the objects at that point as initial, and then every change after it, in order;
//   - every removed handler: its calls are a beginning of such a sequence, and none comes
//     after the end of its removal;
//   - every look at the store, in each call of a handler and at the moment when HasSynced
//     becomes true: the store shows a state between two entries of the transcript, so never
//     half of a list, and never an older state than the handler is told;
//   - HasSynced of the informer, which is never true while an object of the first list is not
//     yet in the store, and HasSynced of a registration, which is not true before the handler
//     has been told every object of the initial list;
//   - the end: the store, the worlds that handlers have rebuilt, every index and the resource
//     version are the same as the server's.
//
// The index function of some scripts is slow, so that events, relists and resyncs arrive
// while a batch is put into the store. In this case the rules about items that were handed
// out matter.
//
// # DeltaFIFO
//
// DeltaFIFO is tested alone in the same way, step by step, with calls from elsewhere while an
// item is processed. Client-go's FIFO is locked then, so the calls take effect later. Ours
// does not make them wait, and the result must be the same.
//
// # Reproducing a seed
//
// A failing test prints its seed, the script, what the server sent, and the two
// sequences. The seed is in its name:
//
//	SEEDS=1235 go test ./test/sim -run 'TestPaced/seed=1234$'
//
// SEEDS is how many scripts each test plays, 200 by default. A seed decides about the script,
// and about what the server does at which time. It does not decide which goroutine runs
// first. If a failure does not come again with its seed, try -count=100, or -race, which also
// turns the assertions on.
//
// # Concurrency
//
// A runner's steps run one after the other in one goroutine. The server, the transcript and
// the recorders are called from the informer's goroutines. Each has a lock, which is never
// held during a send, a sleep or a call.
//
// # Testing
//
// The tests are tested: hack/mutants has faults of our informer and of our DeltaFIFO, and the scripts have to find each
// of them.
package sim

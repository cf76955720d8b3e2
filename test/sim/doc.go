// Package sim drives whole informers, and their queue, through random scripts. It
// has tests and nothing else.
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
// There are two kinds of script. A paced one waits after each step until the
// informer has caught up, and lets the server fail in ways alone that leave an
// informer no choice, so that both must tell the same, whatever their back-offs.
// A stormy one waits for nothing: when an informer lists again, and what it then
// finds, is up to chance, but what follows from it is not.
//
// The server is that of internal/testing/apifake, which test/contract holds against the real
// one; what may go wrong between it and its client is added here.
//
// # What is compared
//
// Of each handler, and of each key, the sequence of what it was told: additions
// (and whether they were initial), updates with the revision before and after,
// deletions (and whether they were missed). Order among keys is not compared, for
// no informer promises one. Two things are left out:
//
//   - Updates that change nothing. Client-go tells every handler of the objects
//     that a relist found unchanged, up to the first resync check, and then those
//     that last asked for a resync; it tells of each event that the server sends
//     twice. A handler must cope with either. That such a call shows the state
//     that the handler already has is checked, and that there is none without a
//     reason.
//   - Deletions of what was not there. Client-go passes on a DELETED event for an
//     object it does not have; its DeltaFIFO, and ours, do not.
//
// Where the two may hear of different things the scripts avoid it: a watch that
// ends within its first second without an event makes client-go list again, so
// outages begin later than that; an error other than "connection refused" or 429
// on a watch does too, so such errors come together with a compaction, after
// which there is no other way.
//
// # What is checked without a peer
//
// The chronicle is the model: it goes through the transcript with a map, and
// knows nothing of queues, batches and goroutines. Held against it are
//
//   - every handler: there is one point of the transcript so that it was told what
//     was there at that point, as initial, and every change since, in order;
//   - every handler that was removed: what it was told is a beginning of that, and
//     nothing comes after its removal has been waited for;
//   - every look at the store, in each call of a handler and at the instant when
//     HasSynced turns true: it shows a state between two entries of the
//     transcript, so never half of a list, and not an older one than the handler
//     is told of;
//   - HasSynced of the informer: never while an object of the first list is still
//     on its way into the store; of a registration: not before the handler has
//     been told every object of the initial list;
//   - the end: the store, the worlds that handlers rebuilt, every index and the
//     resource version are the server's.
//
// The index function of some scripts dawdles, so that events, relists and resyncs
// arrive while a batch is on its way into the store: that is when the rules about
// what has been handed out matter.
//
// # DeltaFIFO
//
// The same is done to DeltaFIFO by itself, step by step, with calls that come
// from elsewhere while an item is processed. Client-go's FIFO is locked then and
// they take effect afterwards; ours lets them in, and it must come to the same.
//
// # Reproducing a seed
//
// A failing test prints its seed, the script, what the server sent, and the two
// sequences. The seed is in its name:
//
//	SEEDS=1235 go test ./test/sim -run 'TestPaced/seed=1234$'
//
// SEEDS is how many scripts each test plays, 200 by default. A seed fixes the
// script and what the server does at which time, not which goroutine runs first:
// a failure that does not come back with its seed comes back with -count=100, or
// with -race, which also turns the assertions on.
//
// # Concurrency
//
// A runner's steps run one after the other in one goroutine. The server, the
// transcript and the recorders are called from the informer's goroutines and have
// a lock each, which is never held while something is sent, slept or called.
//
// # Testing
//
// The tests are tested: TestScriptsBite plays them on informers that are wrong on
// purpose, and TestDeltaFIFOScriptsBite on FIFOs. hack/mutants does it to the real
// ones.
package sim

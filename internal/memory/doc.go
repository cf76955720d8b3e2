// Package memory saves what a manager's cache has and what its controllers have dealt with, so that the next process
// goes on where this one ended.
//
//	kinds ────Cut────┐                            ┌──Recall──▶ kinds: the store, then a watch
//	                 ▼                            │
//	             ┌────────┐  files, manifest  ┌───┴────┐
//	             │ Memory │ ────────────────▶ │ Memory │  of the next process
//	             └────────┘                   └───┬────┘
//	                 ▲                            │
//	ledgers ──Save───┤                            └─Restore──▶ ledgers: who has succeeded
//	        ──Took───┘ marks: what was taken since
//
// # What is promised
//
// What the next process tells a reconciler is complete only if it is: each change since the request last succeeded, from
// the state that it had then. Three things see to that.
//
//   - A cut comes before the ledgers. When a ledger is asked, all that is in the cut is recorded. Everything after the cut
//     comes once more, because the next process watches from the cut on.
//   - A request counts as dealt with only until a worker takes it. That is noted in a file of marks before the
//     reconciler is called. So whatever happens after the last save, of a request that was taken nothing is believed.
//   - A ledger is believed only if each of its watches begins with the state that was saved.
//
// # What is refused
//
// The state of another version of the program, of another cluster, of other selectors, and of a kind that the server describes in
// another way, and each file that is damaged. Ledgers also if the program was started with other arguments or
// another environment, or if the machine was started again after a process that did not end in good order: it may have lost marks. The
// log says what is refused and why, and a list follows, as without a memory.
//
// # Concurrency
//
// Any goroutine may call a [Memory]. One at a time saves. No file is touched under the lock, except that a mark is
// written by the worker that it is about.
//
// # Testing
//
// The tests here spoil what was saved in all ways. test/operator plays restarts on a real API server, and
// internal/savefile tests what a crash leaves of files. With the build tag slow, a test counts how often
// the heap is collected.
package memory

// Package hotloop finds requests that a controller is called for again and again, to no end.
//
//	worker ──Called(request, changes, now)──▶ table of requests ── not often ──▶ Calm
//	                                                 │ often: each state with the one before it
//	      Fight ◀── two managers undo each other ────┤
//	  OwnWrites ◀── call after call, only own writes ┘
//	      └──▶ Episode ──Defer──▶ how long to hold the request back
//
// Two managers fight if they undo each other eight times in a row: each gives a path the very value that it had before
// the other one's write. Any other write of the path starts the count again, and so does a pause of two minutes. So
// honest writers are safe: their values move on, or nobody else writes them, or they take turns. A controller calls
// itself if 18 calls in a row were told nothing but own updates of one path, with pauses of at most ten seconds.
//
// The package would rather miss a loop than accuse an honest writer. It does not see:
//   - rounds that one change hides: a change keeps 16 states between its first and its last;
//   - the manager that removes a field, because the managed fields do not say it;
//   - three managers in a row, writes whose values are new each time, and two writers with one name;
//   - without managed fields, the writers of two writes in the same second;
//   - objects whose versions are not numbers, as those of a few aggregated APIs;
//   - what changes inside a list without a schema, unless its elements have a name or a type.
//
// Nobody needs a schema for a Pod that starts: a request is looked at from its sixth delta on.
//
// It neither keeps nor shows a value, which may be a Secret's: it compares hashes with a seed of the process. It
// knows the 4096 requests that were called last, and of one that is called often the last states of 8 objects.
// After 11 minutes without a call it forgets a request.
//
// Any goroutine may call a Watch. If a request is called twice at once, the second call only counts.
package hotloop

// Package endtoend measures whole processes: a manager with one controller, from the bytes of
// an API server to the reconciler.
//
//	benchmark ──starts──▶ server: wireserver over loopback
//	     │                   ▲ lists, watches        ▲ "release the next changes"
//	     │                   │                       │
//	     └────starts──▶ client: a manager, ours or controller-runtime's own
//	                         │
//	                         └──figures──▶ benchmark
//
// Each is a process of its own: the test binary, started again. The client measures its own
// processor time, from when it has nothing left to do until it has nothing left to do again.
// The server's time does not count, and neither does that of making its objects.
//
// At the end the client compares the version of each object in its cache with the server's. If it
// has missed one, the benchmark fails.
//
// With BENCH_PROFILE=/tmp/p each client writes CPU profiles of what it measures, and one of
// the heap in between: /tmp/p.events.json.ours.pprof and so on.
//
// # Concurrency
//
// The processes of one benchmark run at the same time, and no others. Tests play several scenarios at
// the same time, because they measure nothing.
//
// # Testing
//
// Tests play controller-runtime's side in one form, and with the tag slow in all.
// TestMissedEventsFail has a client that misses events, and expects that it fails.
package endtoend

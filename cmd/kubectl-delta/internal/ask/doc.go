// Package ask sends requests to an operator's inspector and reads its answers.
//
//	Get, Post ──▶ Client ──▶ /delta/v1/… ──▶ the answer's bytes, or a Failure that says what to try
//	Stream    ──▶ Client ──▶ /delta/v1/deltas/stream ──▶ Events ──▶ one Event, and the next
//
// A Client does not know how its requests travel. It is given a transport, which may lead
// through a port-forward and may add a token.
//
// # Concurrency
//
// A Client may be used from several goroutines.
//
// # Testing
//
// The tests ask servers of their own. A fuzz target cuts streams of events at any byte and
// expects the same events.
package ask

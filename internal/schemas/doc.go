// Package schemas knows the types of a server's kinds, so that differences are exact in
// lists, and paths can be checked.
//
//	typed object ──▶ kind ──▶ does client-go know it?
//	                            ├─ yes ──▶ its own types, read in once per process
//	                            └─ no ───▶ GET /openapi/v3/apis/<group>/<version>
//	                                         ├─ answered ──▶ kept
//	                                         └─ not ───────▶ the error is kept for a minute
//
// # Concurrency
//
// Any goroutine may use Kinds. The first that asks for a group and version asks the
// API server, for at most two seconds. The others wait for the same answer. No lock is
// held meanwhile, and the package starts no goroutine.
//
// # Testing
//
// A server in memory describes a custom kind, and fails in each way that it can. Time is
// that of a bubble. test/operator does the same on a real API server.
package schemas

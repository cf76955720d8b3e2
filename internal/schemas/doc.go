// Package schemas knows the types of a server's kinds, so that differences are exact in
// lists, and paths can be checked.
//
//	object ──▶ kind ──▶ has the server described it?
//	                      ├─ yes ──▶ its types
//	                      └─ no ───▶ GET /openapi/v3/apis/<group>/<version>
//	                                   ├─ answered ──▶ internal/openapi ──▶ the types of all kinds of it that
//	                                   │                                    somebody wants; the rest is dropped
//	                                   └─ not ───────▶ the types that client-go has, if it knows the kind;
//	                                                   the error is kept for a minute
//
// The document of core/v1 has 1.6 MB. A Pod's types take some 150 KB, and a Deployment, which has
// the same Pods in it, little more.
//
//	when                                     the server is asked
//	a kind is wanted for the first time      for it and all kinds that were wanted before
//	an object is otherwise                   the next time, but not within a minute after the last one
//	a path is checked                        ten minutes after the last time; it says "304 Not Modified"
//	                                         unless the document has changed
//	the last answer was of no use            a minute later; until then an older answer counts
//	the kind is not described any more       the same; after an hour the older answer does not count
//	nobody has wanted a kind for an hour     not at all: its types are dropped
//
// The controllers of a manager and its inspector have the same descriptions.
//
// # Concurrency
//
// Any goroutine may use Kinds. The first that wants a kind asks the API server, for at most
// two seconds. Others that want a kind of this group and version wait for the same answer. No lock is
// held meanwhile, and the package starts no goroutine. Types are made one after the other, so that
// each can share with all others.
//
// # Testing
//
// A server in memory describes custom kinds, and fails in each way that it can. Time is that of a
// bubble. A judge makes types of whole documents, as client-go does: on a real API server, all kinds and all
// answers about random objects and paths are compared with it and with client-go's own types. With the
// build tag slow, the cost is measured there, too.
package schemas

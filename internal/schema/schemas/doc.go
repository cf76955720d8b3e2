// Package schemas knows the types of a server's kinds, so that differences are exact in
// lists, and paths can be checked.
//
//	object ──▶ kind ──▶ has the server described it?
//	                      ├─ yes ──▶ its types
//	                      └─ no ───▶ GET /openapi/v3/apis/<group>/<version>
//	                                   ├─ answered ──▶ internal/schema/openapi ──▶ the types of all kinds of it that
//	                                   │                                    somebody wants; the rest is dropped
//	                                   └─ not ───────▶ the types that client-go has, if it knows the kind;
//	                                                   the error is kept for a minute
//
// The server is asked when a kind is wanted for the first time, when an object is otherwise than described, and
// when a path is checked by a description that is ten minutes old. A server that does not describe a kind any more
// may have just started, so the older answer counts until it describes the kind again. The controllers of a manager
// and its inspector have the same descriptions: those of its Runtime.
//
// Any goroutine may use Kinds. The first that wants a kind asks the API server, for at most two seconds. Others
// that want a kind of this group and version wait for the same answer. No lock is held meanwhile. A Pod's types
// take some 150 KB, and so do those of each other group that runs Pods.
package schemas

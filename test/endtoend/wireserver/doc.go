// Package wireserver is an API server for benchmarks. It has one kind, and it knows before what
// it will send.
//
//	Collection ──New──▶ Server ──list──▶ the objects as they are
//	 objects              ▲ └────watch─▶ a frame for each change that was released
//	 changes              │
//	                 Release, Expire
//
// Objects and changes are encoded when the server is made. After that a list or an event costs
// a copy. So a client is never measured while it waits for the server, if it has a core of its
// own. The bytes are those of a kube-apiserver: frames, envelopes, chunks, the order of keys.
//
// The server answers lists as one with a watch cache does: a limit does not count with version
// 0. It refuses selectors and single namespaces, because no benchmark asks for them.
// It refuses streaming lists unless the Collection allows them.
//
// # Concurrency
//
// Any goroutine may call the methods of a Server. It starts no goroutine.
//
// # Testing
//
// With the build tag slow, a test sends the same requests to a real API server and to a Server
// that has the real one's objects, and compares the answers byte by byte.
package wireserver

// Package apifake is an API server for tests: it has one kind and nobody to talk to but
// its callers. It lists and watches as kube-apiserver does with its watch cache, and
// test/contract holds it against the real one.
//
//	Put, Delete, Skip ──▶ etcd ◀── Compact, Backup, Restore
//	                       │  ╲
//	      unless it is     │    ╲  versions that the cache has no more
//	      stuck in a       ▼      ╲
//	      later past     cache      ╲
//	                     │   │ ◀─────╲──── Restart, Forget
//	                     │   ╰──────┬──╯
//	                     ▼          ▼
//	                   Watch       List
//	                     │
//	                     ▼
//	                  Stream.Next
//
// Objects are metadata alone: nothing else of an object matters to who lists and watches.
//
// etcd and the watch cache are a [Server]'s two memories, of the same type. A version that
// etcd has compacted may still be in the cache, and the other way round: after a restart
// the cache knows the present and nothing before it, so that a watch from an earlier
// version fails although etcd has all that is missing. And after a restore of etcd the
// cache of an API server that goes on running stays as it was, until etcd has caught up.
//
// It leaves out selectors, resources that have no watch cache, several API servers, and
// faults on the way: requests that hang or are refused, connections that break. A
// test that wants these wraps the server.
//
// Any goroutine may call a Server. A Stream is for one goroutine, except Close, which any
// may call. The package starts no goroutine, and waits on channels and timers alone, so
// that all of it works in a bubble of testing/synctest.
package apifake

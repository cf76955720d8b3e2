// Package lock has mutexes that know their place in the one order of all locks, and the
// check of whatever else must always hold.
//
//	mu lock.Mutex[lock.Informer] // the rank of the field, from the list in order.go
//
//	               wants Processor, further down ──▶ waits until it is free
//	holds Informer
//	               wants CacheScopes, further up ──▶ panics, also if it is free
//
// So one goroutine that breaks the order is enough to show it, also if it is alone.
//
//	go build                      a Mutex is a sync.Mutex
//	go test -tags invariants      each Lock is checked, on amd64 and arm64
//
// [Invariant] checks other things that must hold, also in the race detector's builds, and users test with these.
// The order is not checked there: it is ours to keep, to check it slows each Lock, and the table that all goroutines
// share for it would hide races. No check changes what the program does. TryLock never waits, so it is not checked, but
// a lock that it gets counts as held.
package lock

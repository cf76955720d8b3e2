// Package lock has mutexes that know their place in the one order of all locks, and the
// check of whatever else must always hold.
//
//	mu lock.Mutex[lock.Informer] // the rank of the field, from the list in order.go
//
//	               wants Processor, further down ──▶ waits until it is free
//	holds Informer
//	               wants CacheScopes, further up ──▶ panics, also if it is free
//
// Two goroutines that take the same two locks in different order can wait for each other
// for ever. A test seldom meets the moment at which they do. So the check does not wait
// for that moment: one goroutine that breaks the order is enough, also if it is alone.
//
//	go build                      a Mutex is a sync.Mutex
//	go test -tags invariants      each Lock is checked
//
// [Invariant] checks the others, also in the race detector's builds, and users test with these.
// The order is not checked there: it is ours to keep, and to check it slows each Lock. No check
// changes what the program does: the same calls have the same results, built either way.
//
// TryLock never waits, so it is not checked. But a lock that it gets counts as held.
//
// # Concurrency
//
// What each goroutine holds stands in a table that all goroutines share, and that has no
// lock. The race detector does not see its reads and writes. Otherwise it would take
// goroutines that have nothing to do with each other for synchronized, and miss races.
//
// # Testing
//
// The tests run in both builds: where locks are checked, a broken order panics and says what is
// wrong, and otherwise a Mutex is as large as a sync.Mutex. Another test reads
// the source of pkg and internal: each lock has a rank, and each rank names its lock.
package lock

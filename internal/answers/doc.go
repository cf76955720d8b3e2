// Package answers says what an inspector wants to know of an operator that runs in this process.
//
//	inspector ──asks──▶ Operator ──▶ internal/observe: kinds, controllers, queues
//	   (HTTP)              │    └──▶ internal/journal: the last deltas and calls
//	                       └──▶ the cache: resync, relist, policies
//
// It turns statuses, deltas and calls into the forms of pkg/inspect/v1. Differences are computed
// here, when somebody looks, and never shown with the values of a Secret.
//
// # Concurrency
//
// Any goroutine may call anything. Run has to run for the journal to note anything.
//
// # Testing
//
// The tests ask an operator with a real cache over a fake API server and a controller of our
// builder. Canaries in Secrets must be in no answer. With the build tag slow, a test measures how long
// the question why takes among many objects.
package answers

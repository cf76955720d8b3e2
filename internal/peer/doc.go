// Package peer makes our Reflector behave towards its users as client-go's does, and shows our
// informers as client-go's.
//
//	client-go's options, gates, clock ──▶ Options, Settings ──▶ our Reflector
//	                                                               │ errors, panics
//	WatchErrorHandler, utilruntime ◀── OnWatchError, Guard ◀───────╯
//	pkg/cache ──▶ Show(informer, Shown) ──▶ pkg/toolscache's shared informer
//
// Handlers of watch errors take a Reflector of client-go's. They get one that never runs, to
// read its name and its kind.
//
// # Concurrency
//
// The functions have no state. What [OnWatchError] and [Options] return is called by the
// goroutine that runs the Reflector.
//
// # Testing
//
// A converted back-off is compared with client-go's own, wait by wait. pkg/toolscache tests
// the rest through whole Reflectors.
package peer

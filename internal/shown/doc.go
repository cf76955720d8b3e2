// Package shown has our packages show an informer of theirs as client-go's.
//
//	pkg/cache ──▶ As(informer, Options) ──▶ pkg/toolscache's shared informer
//
// The type is pkg/toolscache's, where users make shared informers. They have no informers of package engine, so a function that
// takes one is not among what that package exports.
//
// # Concurrency
//
// As is set before main begins, and only read afterwards. Hooks may be used by any number of goroutines.
//
// # Testing
//
// pkg/toolscache tests what As returns.
package shown

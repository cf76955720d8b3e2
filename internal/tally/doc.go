// Package tally counts what happens many times a second, for somebody who looks now and then.
//
//	the goroutine at work ──Observe──▶ Histogram ──Read──▶ metrics, once a scrape
//	                                   2^0 2^1 2^2 …
//
// # Concurrency
//
// Any goroutine may call anything. Nothing here waits. A reader may see an observation in the
// count and not yet in the sum.
//
// # Testing
//
// A model test compares the counts with a list of all observations. The race detector sees
// writers and a reader at once.
package tally

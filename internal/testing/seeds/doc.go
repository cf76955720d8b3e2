// Package seeds plays random tests. Each seed is a subtest, whose name is all that it
// takes to play it again:
//
//	SEEDS=10000 go test ./internal/keyqueue            more seeds than usual
//	go test ./internal/keyqueue -run '/seed=17$'       one alone
//
// A test must draw everything from its seed. A seed that is not among
// the usual ones takes SEEDS to be larger than it. A heavy test plays a twentieth of them.
//
// It is test support: only _test.go files import it.
//
// Seeds are played one after the other, in the goroutine of the test, unless a test
// says itself that it is parallel.
package seeds

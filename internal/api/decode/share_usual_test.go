//go:build !race && !slow

package decode_test

// The tests play a share of what they could: one in so many. With the build tag slow they play everything.
const (
	mutableSeeds = 2 // of a test that makes a few changes to random objects
	inTrials     = 5 // of the changes that a test makes one by one
	inTypes      = 1
)

//go:build slow

package decode_test

// All is played.
const (
	mutableSeeds = 4 // of a test that makes a few changes to random objects
	inTrials     = 1
	inTypes      = 1
)

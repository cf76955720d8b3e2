//go:build race && !slow

package decode_test

// The race detector takes ten times as long for what goes on in one goroutine. It brings checks of what the decoder
// does with unsafe, so a share of all that is left to it.
const (
	mutableSeeds = 1 // of a test that makes a few changes to random objects
	inTrials     = 31
	inTypes      = 5
)

package skip

import (
	"testing"
)

// usualLives is how many worlds with memories are played without SEEDS.
const usualLives = 20

// TestSkippingIsSafeAcrossRestarts plays worlds in which processes end and are killed, and the next one goes on with what
// was saved. Both operators and the judge are those of TestSkippingIsSafe.
func TestSkippingIsSafeAcrossRestarts(t *testing.T) {
	judgeWorlds(t, usualLives, newMemoryPlan)
}

package keyqueue

import (
	"testing"

	"go.uber.org/goleak"
)

// usualSeeds is how many random scripts a test plays.
const usualSeeds = 200

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

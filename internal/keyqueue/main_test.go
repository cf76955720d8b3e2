package keyqueue

import (
	"testing"

	"go.uber.org/goleak"
)

// usualSeeds is the number of random scripts that a test plays.
const usualSeeds = 200

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

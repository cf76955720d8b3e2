package store

import (
	"testing"

	"go.uber.org/goleak"
)

// usualSeeds is how many random scripts a model test runs.
const usualSeeds = 100

// heavySeeds is the same for scripts that compare much.
const heavySeeds = 30

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

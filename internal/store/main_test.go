package store

import (
	"testing"

	"go.uber.org/goleak"
)

// usualSeeds is how many random scripts a model test runs.
const usualSeeds = 100

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

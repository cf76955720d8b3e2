package delta_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// forSeeds runs test for SEEDS seeds, each a subtest that can be run alone.
func forSeeds(t *testing.T, n uint64, test func(*testing.T, *rand.Rand)) {
	t.Helper()
	if text := os.Getenv("SEEDS"); text != "" {
		var err error
		if n, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("SEEDS: %v", err)
		}
	}
	for seed := range n {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) { test(t, rand.New(rand.NewPCG(seed, 0))) })
	}
}

package queue

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// forSeeds runs test for SEEDS seeds, each a subtest that can be run alone.
func forSeeds(t *testing.T, test func(t *testing.T, rng *rand.Rand)) {
	t.Helper()
	seeds := uint64(200)
	if text := os.Getenv("SEEDS"); text != "" {
		n, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			t.Fatalf("SEEDS: %v", err)
		}
		seeds = n
	}
	for seed := range seeds {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			test(t, rand.New(rand.NewPCG(seed, 0)))
		})
	}
}

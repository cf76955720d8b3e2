package seeds

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// variable is how many seeds are played, in the environment.
const variable = "SEEDS"

// Run plays test once for each seed, with dice that are the seed's.
func Run(t *testing.T, usual uint64, test func(t *testing.T, rng *rand.Rand)) {
	t.Helper()
	Each(t, usual, func(t *testing.T, seed uint64) { test(t, rand.New(rand.NewPCG(seed, 0))) })
}

// Each plays test once for each seed. It is for tests that make their own dice.
func Each(t *testing.T, usual uint64, test func(t *testing.T, seed uint64)) {
	t.Helper()
	for seed := range Count(t, usual) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) { test(t, seed) })
	}
}

// costly is how many seeds of a light test take the place of one seed of a heavy one.
const costly = 20

// RunHeavy is Run for a test that does much work for each seed. It plays one seed for each twenty that the
// environment asks for, and at least the usual number.
func RunHeavy(t *testing.T, usual uint64, test func(t *testing.T, rng *rand.Rand)) {
	t.Helper()
	for seed := range max(usual, Count(t, usual)/costly) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) { test(t, rand.New(rand.NewPCG(seed, 0))) })
	}
}

// Count is how many seeds to play: what the environment's SEEDS says, or else the
// usual number. The seeds are those below it.
func Count(t testing.TB, usual uint64) uint64 {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return usual
	}
	count, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		t.Fatalf("read %s: %v", variable, err)
	}
	return count
}

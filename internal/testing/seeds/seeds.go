// Package seeds plays random tests. Each seed is a subtest, whose name is all that it
// takes to play it again:
//
//	SEEDS=10000 go test ./internal/keyqueue            more seeds than usual
//	go test ./internal/keyqueue -run '/seed=17$'       one alone
//
// A test must draw everything from its seed. A seed that is not among
// the usual ones takes SEEDS to be larger than it. A heavy test plays a twentieth of them.
//
// It is test support: only _test.go files import it.
//
// Seeds are played one after the other, in the goroutine of the test, unless a test
// says itself that it is parallel.
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

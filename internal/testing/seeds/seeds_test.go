package seeds

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestEachSeedIsASubtest(t *testing.T) {
	t.Setenv(variable, "")
	var names []string
	var seeds []uint64
	Each(t, 3, func(t *testing.T, seed uint64) {
		names, seeds = append(names, t.Name()), append(seeds, seed)
	})
	if want := []string{t.Name() + "/seed=0", t.Name() + "/seed=1", t.Name() + "/seed=2"}; !slices.Equal(names, want) {
		t.Errorf("the subtests are %q, want %q", names, want)
	}
	if want := []uint64{0, 1, 2}; !slices.Equal(seeds, want) {
		t.Errorf("the seeds are %v, want %v", seeds, want)
	}
}

func TestTheEnvironmentSaysHowMany(t *testing.T) {
	for text, want := range map[string]uint64{"": 5, "0": 0, "1": 1, "10000": 10000} {
		t.Setenv(variable, text)
		if got := Count(t, 5); got != want {
			t.Errorf("%s=%q plays %d seeds, want %d", variable, text, got, want)
		}
	}
	t.Setenv(variable, "2")
	played := 0
	Run(t, 5, func(*testing.T, *rand.Rand) { played++ })
	if played != 2 {
		t.Errorf("%d seeds were played, want 2", played)
	}
}

func TestHeavyTestsPlayFewerSeeds(t *testing.T) {
	for text, want := range map[string]int{"": 5, "3": 5, "100": 5, "400": 20} {
		t.Setenv(variable, text)
		played := 0
		RunHeavy(t, 5, func(*testing.T, *rand.Rand) { played++ })
		if played != want {
			t.Errorf("%s=%q plays %d seeds, want %d", variable, text, played, want)
		}
	}
}

func TestASeedDrawsTheSameAlways(t *testing.T) {
	t.Setenv(variable, "")
	var seed uint64
	different := map[uint64]bool{}
	Run(t, 20, func(t *testing.T, rng *rand.Rand) {
		got, want := rng.Uint64(), rand.New(rand.NewPCG(seed, 0)).Uint64()
		if got != want {
			t.Errorf("seed %d draws %d, want %d", seed, got, want)
		}
		different[got] = true
		seed++
	})
	if len(different) != 20 {
		t.Errorf("20 seeds draw %d different numbers", len(different))
	}
}

package skip

import (
	"flag"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
)

// usual is how many worlds are played without SEEDS.
const usual = 40

// TestSkippingIsSafe plays random operators in random worlds, as many at a time as there
// are processors. Each world has a clock of its own.
func TestSkippingIsSafe(t *testing.T) {
	judgeWorlds(t, usual, func(seed uint64) *plan { return newPlan(seed, 0) })
}

// TestWorldsThatOnceFailed plays worlds that were rare enough to be found among many thousand.
func TestWorldsThatOnceFailed(t *testing.T) {
	for why, seed := range map[string]uint64{
		"the cache left out an object that a source of somebody else's would have shown": 9120,
	} {
		t.Run(why, func(t *testing.T) {
			if told := play(t, newPlan(seed, 0)); told.failed() {
				t.Error(told)
			}
		})
	}
}

// judgeWorlds plays the plan of each seed.
func judgeWorlds(t *testing.T, usual uint64, planOf func(seed uint64) *plan) {
	t.Helper()
	s := &score{all: seeds.Count(t, usual), atFirst: flag.Lookup("test.failfast").Value.String() == "true"}
	t.Cleanup(func() { t.Logf("%+v", s.counts) })
	seeds.Each(t, usual, func(t *testing.T, seed uint64) {
		t.Parallel()
		if s.over() {
			return
		}
		p := planOf(seed)
		told := play(t, p)
		switch n := s.add(seed, told); {
		case n == 0:
		case n > 2 || s.atFirst: // each has a long story, so only the first ones are printed
			t.Errorf("%s (%s)\nTo print the story: SEEDS=%d and -run '/seed=%d$'", told.first(), p.traits, seed+1, seed)
		default:
			t.Error(told)
		}
	})
}

// score counts the worlds.
type score struct {
	all     uint64
	atFirst bool // the first failure is enough

	mu     sync.Mutex // guards everything below
	played uint64
	failed int
	counts counts
}

// over reports whether to stop.
func (s *score) over() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.atFirst && s.failed > 0
}

// milestone is the number of worlds between two lines about the progress.
const milestone = 1000

// add notes the result of a world. It returns zero if the world passed, and otherwise the
// number of failed worlds.
func (s *score) add(seed uint64, told *story) (failed int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.played++
	s.counts.add(told.counts)
	if told.failed() {
		s.failed++
		failed = s.failed
		if s.all > milestone {
			fmt.Fprintf(os.Stderr, "seed %d: %s\n", seed, told.first())
		}
	}
	if s.played%milestone == 0 && s.all > milestone {
		fmt.Fprintf(os.Stderr, "%d of %d worlds, %d failed\n", s.played, s.all, s.failed)
	}
	return failed
}

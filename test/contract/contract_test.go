package contract

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
)

// usualSeeds is how many random scripts are played.
const usualSeeds = 24

// allScripts returns the scripts of the table, and a random script for each seed.
func allScripts(t *testing.T) []script {
	t.Helper()
	all := table()
	for seed := range seeds.Count(t, usualSeeds) {
		all = append(all, random(seed))
	}
	return all
}

// TestTheFakeDoesAsTheServerDoes plays the scripts whose outcome does not depend on time.
func TestTheFakeDoesAsTheServerDoes(t *testing.T) {
	compare(t, slices.DeleteFunc(allScripts(t), script.takesTime))
}

// compare plays scripts on the fake and on the real server. It returns how many watches of the real one have ended
// with a bookmark.
func compare(t *testing.T, scripts []script) (farewells int) {
	t.Helper()
	groups := map[string][]script{}
	for _, s := range scripts {
		groups[s.fate()] = append(groups[s.fate()], s)
	}
	st := newStage(t)
	for _, fate := range slices.Sorted(maps.Keys(groups)) {
		began := time.Now()
		var fakes []*player
		for _, s := range groups[fate] {
			fakes = append(fakes, playFake(t, s))
		}
		played := playGroup(t, st, groups[fate], fakes)
		t.Logf("%d scripts with %q took %v", len(played), fate, time.Since(began).Round(time.Second))
		for i, s := range groups[fate] {
			t.Run(s.name, func(t *testing.T) {
				want, got := played[i].lines, fakes[i].lines
				farewells += countFarewells(want)
				if diff := cmp.Diff(want, excuse(got, want)); diff != "" {
					t.Errorf("the server does (-), the fake does (+)\n%s", diff)
				}
			})
		}
	}
	return farewells
}

// countFarewells counts the watches that end with a bookmark.
func countFarewells(lines []string) (count int) {
	for i := range lines {
		if isFarewell(lines, i) {
			count++
		}
	}
	return count
}

// isFarewell says whether a line is a bookmark right before the end of its watch.
func isFarewell(lines []string, i int) bool {
	return i+1 < len(lines) && strings.HasPrefix(lines[i], "  BOOKMARK") && lines[i+1] == "  end"
}

// excuse removes a bookmark before the end of a watch if the server's watch has none there.
// The server plans such a bookmark for two seconds before the end, but it looks at its plans
// only from time to time. So some watches end before it is sent. There is no excuse for a
// watch that brought nothing else.
func excuse(got, want []string) (excused []string) {
	for i, line := range got {
		if n := len(excused); isFarewell(got, i) && !strings.HasPrefix(got[i-1], "watch") && n < len(want) && want[n] == "  end" {
			continue
		}
		excused = append(excused, line)
	}
	return excused
}

// playGroup plays scripts with the same fate on the real server. Each watch is read until it has brought as much as
// the fake's, however long the machine takes, and for a while in any case.
func playGroup(t *testing.T, st *stage, group []script, fakes []*player) []*player {
	t.Helper()
	_, events := group[0].acts()
	players := make([]*player, len(group))
	for i := range group {
		players[i] = &player{t: t, on: st.enter(t), hopes: fakes[i].heard}
	}
	for n := range len(events) + 1 {
		var all sync.WaitGroup
		for i, s := range group {
			acts, _ := s.acts()
			all.Go(func() { players[i].playAll(context.WithoutCancel(t.Context()), acts[n]) })
		}
		all.Wait()
		if n == len(events) {
			break
		}
		st.befall(t, events[n])
		for _, p := range players {
			p.writes.after(events[n], st.keptAt())
			p.say("%s", events[n])
		}
	}
	if st.blind {
		st.befall(t, restart) // for later groups
	}
	return players
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

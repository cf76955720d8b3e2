package hotloop

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

var web = delta.Key{Namespace: "shop", Name: "web"}

// fight has two managers write in turns, a write a call.
func (w *world) fight(writes int) { w.fightOver("spec/replicas", writes, time.Second) }

func (w *world) fightOver(path string, writes int, pace time.Duration) {
	for i := range writes {
		w.pass(pace)
		w.write(web, []string{"argocd", "helm"}[i%2], set{path: fmt.Sprint(i%2 + 2)})
		w.call()
	}
}

// TestNoRoundCountsTwice has a controller that often settles nothing, so that calls are told again what earlier ones were
// told: of many objects, of one that was deleted and made again, and long after the guard has forgotten the request. A round has two
// writes, so there can't be more rounds than half of the writes.
func TestNoRoundCountsTwice(t *testing.T) {
	seeds.Run(t, 60, func(t *testing.T, rng *rand.Rand) {
		w := newWorld(t, rng)
		fails := rng.IntN(5)
		w.fails = func() bool { return rng.IntN(4) < fails }
		w.create(siteKind, web, "helm", set{"spec/replicas": "1"})
		objects := 1 + rng.IntN(14)
		other := func(i int) delta.Key { return delta.Key{Namespace: "shop", Name: fmt.Sprint("other", i)} }
		for i := range objects {
			w.create(siteKind, other(i), "kubectl", set{"spec/text": "0"})
		}
		writes := 0
		for range 60 {
			switch rng.IntN(8) {
			case 0:
				w.pass(time.Duration(rng.IntN(1000)) * time.Second)
				w.watch.Called("another", delta.NewChanges(delta.Change{Cause: delta.Timer}), w.now) // has it forget the quiet
			case 1:
				w.remove(web)
				w.create(siteKind, web, "helm", set{"spec/replicas": "1"})
			case 2:
				for i := range objects {
					w.write(other(i), "kubectl", set{"spec/text": fmt.Sprint(rng.IntN(1000))})
				}
			case 3:
				w.call()
			default:
				n := 1 + rng.IntN(16)
				writes += n
				w.fight(n)
			}
		}
		rounds := 0
		for _, e := range w.watch.Episodes(w.now) {
			rounds += e.Rounds - 1 // the first undoing ends the first, and is half of the second
		}
		if rounds > writes/2 {
			t.Errorf("of %d writes %d rounds are counted:\n%+v", writes, rounds, w.watch.Episodes(w.now))
		}
	})
}

// TestAFightAfterARestore has the versions of the server go back: an object is another one, or is itself as it was. Calls fail around
// that, or one is told of both sides of it.
func TestAFightAfterARestore(t *testing.T) {
	seeds.Run(t, 60, func(t *testing.T, rng *rand.Rand) {
		w := newWorld(t, rng)
		failing := rng.IntN(2) == 0
		w.fails = func() bool { return failing }
		call := func() {
			if rng.IntN(3) > 0 {
				w.call()
			}
		}
		w.create(siteKind, web, "helm", set{"spec/replicas": "1"})
		w.version = 5_000_000
		for i := range 8 {
			w.pass(time.Second)
			w.write(web, "helm", set{"spec/replicas": fmt.Sprint(i + 10)})
			call()
		}
		switch before := w.objects[web].DeepCopy(); rng.IntN(3) {
		case 0:
			w.remove(web)
			call()
			w.version = 1_000_000
			w.create(siteKind, web, "helm", set{"spec/replicas": "1"})
		case 1: // the restore brings it back
			w.remove(web)
			call()
			w.version = 1_000_000
			w.put(nil, before, "helm", set{"spec/replicas": "1"})
		}
		w.version = 1_000_000 + rng.IntN(100)
		w.fight(rng.IntN(3))
		failing = failing && rng.IntN(2) == 0
		w.fight(40)
		if len(w.found) != 1 {
			t.Errorf("the fights that are found are %+v", w.found)
		}
	})
}

// TestAnEpisodeNamesSomePaths has two managers go on to another path every few rounds, and some of them are too long for anybody to read.
func TestAnEpisodeNamesSomePaths(t *testing.T) {
	w := newWorld(t, rand.New(rand.NewPCG(1, 0)))
	w.create(siteKind, web, "helm", set{"spec/text": "1"})
	long := strings.Repeat("k", longestPath)
	w.fightOver("status/"+long, 20, 50*time.Millisecond)
	if all := w.watch.Episodes(w.now); len(all) > 0 {
		t.Errorf("an episode has a path of %d bytes", len(all[0].Paths[0]))
	}
	for i := range 100 {
		w.fightOver(fmt.Sprint("spec/key", i), 10, 50*time.Millisecond)
	}
	if all := w.watch.Episodes(w.now); len(all) != 1 || len(all[0].Paths) > mostTracks || all[0].Rounds < 50 {
		t.Errorf("the episodes are %+v", all)
	}
}

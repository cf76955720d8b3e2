//go:build !race

// One goroutine plays all of this, and the race detector has nothing to find.

package hotloop

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// crime is what the judge knows.
type crime struct {
	kind     schema.GroupVersionKind
	key      delta.Key
	managers []string
	paths    []string // as they are to be named
}

func (c *crime) isTold(e *Episode[string], p Pattern) bool {
	return e.Request == "request" && e.Pattern == p && e.Kind == c.kind && e.Key == c.key && slices.Equal(e.Managers, c.managers) && slices.Equal(e.Paths, c.paths)
}

// field is a place to fight over, or to write to no end.
type field struct {
	path, named string
	kind        schema.GroupVersionKind
}

var places = []field{
	{"spec/replicas", "spec.replicas", siteKind},
	{"spec/template/image", "spec.template.image", siteKind},
	{"metadata/labels/tier", "metadata.labels[tier]", siteKind},
	{"metadata/annotations/example", "metadata.annotations[example]", siteKind},
	{"spec/containers/name=app/image", `spec.containers[name="app"].image`, siteKind},
	{"status/conditions/type=Ready/status", `status.conditions[type="Ready"].status`, siteKind},
	{"data/password", "data.password", secretKind},
}

// scene is an object with all places, which one of the managers makes in a random world.
func scene(w *world, by ...string) (at delta.Key, over []field) {
	one := places[w.rng.IntN(len(places))]
	over = []field{one}
	if other := places[w.rng.IntN(len(places))]; w.rng.IntN(3) == 0 && other.kind == one.kind && other.path != one.path {
		over = append(over, other)
	}
	at = delta.Key{Namespace: "shop", Name: "web"}
	content := set{"metadata/labels/first": "x", "metadata/annotations/first": "x"}
	for _, p := range places {
		if p.kind == one.kind {
			content[p.path] = "at first"
		}
	}
	if one.kind == siteKind {
		content["spec/containers/name=side/image"], content["status/conditions/type=Other/status"] = "side", "False"
	}
	w.create(one.kind, at, w.pick(by...), content)
	return at, over
}

// noise is what others write honestly.
func (w *world) noise(at delta.Key) {
	if w.objects[at].GetKind() == "Secret" {
		w.write(at, "rotation", set{"data/other": fmt.Sprint(w.rng.IntN(3))})
		return
	}
	switch w.rng.IntN(5) {
	case 0:
		w.write(at, "counter", set{"status/count": int64(w.version)})
	case 1:
		w.write(at, "flipper", set{"status/conditions/type=Other/status": w.pick("True", "False")})
	case 2:
		w.write(at, "builder", set{"spec/containers/name=side/image": w.pick("side:1", "side:2")})
	case 3:
		w.write(at, "labeler", set{"metadata/labels/other": w.pick("a", "b", "c")})
	case 4:
		w.resync(at)
	}
}

func crimeOf(over []field, at delta.Key, managers ...string) *crime {
	c := &crime{kind: over[0].kind, key: at, managers: managers}
	for _, f := range over {
		c.paths = append(c.paths, f.named)
	}
	slices.Sort(c.paths)
	return c
}

// TestTheGuiltyAreNamed has two managers fight, at any pace up to the slowest.
func TestTheGuiltyAreNamed(t *testing.T) {
	seeds.Run(t, 40, func(t *testing.T, rng *rand.Rand) {
		w := newWorld(t, rng)
		pair := []string{w.pick("argocd", "helm"), w.pick("hpa", me, "user")}
		at, over := scene(w, "kubectl", pair[0], pair[1])
		crime := crimeOf(over, at, slices.Sorted(slices.Values(pair))...)
		round := time.Duration(float64(time.Millisecond) * math.Pow(100_000, rng.Float64()))
		every := 1 + rng.IntN(12) // deltas for a call: with noise, no more than a change can hold
		noisy := rng.IntN(3)
		if every == 1 && rng.IntN(2) == 0 {
			w.fails = func() bool { return rng.IntN(3) > 0 }
		}
		w.strip = every == 1 && noisy == 0 && round > 4*time.Second && rng.IntN(2) == 0
		w.call()
		began := w.now
		for n := 1; n <= 10; n++ {
			for i, manager := range pair {
				w.pass(w.around(round / 2))
				content := set{}
				for _, f := range over {
					content[f.path] = fmt.Sprint("value of ", i)
				}
				w.write(at, manager, content)
				for range noisy {
					if rng.IntN(2) == 0 {
						w.noise(at)
					}
				}
				if w.pending >= every || n == 10 && i == 1 {
					w.call()
				}
			}
		}
		if len(w.found) != 1 || !crime.isTold(&w.found[0], Fight) {
			t.Errorf("found is %+v, and guilty %+v, with a call for %d deltas and a round in %v", w.found, crime, every, round)
		}
		if rest := w.watch.Episodes(w.now); len(rest) != 1 || rest[0].Ended != (time.Time{}) {
			t.Errorf("the episodes are %+v", rest)
		}
		w.pass(time.Minute + 3*w.now.Sub(began))
		if rest := w.watch.Episodes(w.now); len(rest) != 1 || !rest[0].Ended.After(rest[0].Last) || rest[0].Ended.After(w.now) {
			t.Errorf("after a while, the episodes are %+v", rest)
		}
	})
}

// TestOwnLoopsAreNamed has a controller be called by its own writes.
func TestOwnLoopsAreNamed(t *testing.T) {
	seeds.Run(t, 40, func(t *testing.T, rng *rand.Rand) {
		w := newWorld(t, rng)
		at, over := scene(w, "kubectl", me)
		over = over[:1]
		crime := crimeOf(over, at, me)
		pace := time.Duration(float64(time.Millisecond) * math.Pow(6_000, rng.Float64()))
		value := []func() any{
			func() any { return fmt.Sprint(w.version) },
			func() any { return w.now.String() },
			func() any { return w.pick("a", "b") + fmt.Sprint(w.calls%2) },
		}[rng.IntN(3)]
		for range rng.IntN(6) { // honest calls first
			w.noise(at)
			w.call()
		}
		w.call()
		before := w.calls
		for w.calls < before+25 {
			w.pass(w.around(pace))
			content := set{over[0].path: value()}
			if rng.IntN(2) == 0 {
				content["metadata/labels/own"] = fmt.Sprint(rng.IntN(3))
			}
			w.write(at, me, content)
			if rng.IntN(8) == 0 {
				w.resync(at)
			}
			w.call()
		}
		if len(w.found) != 1 || !crime.isTold(&w.found[0], OwnWrites) {
			t.Errorf("found is %+v, and guilty %+v", w.found, crime)
		}
	})
}

// TestWhatIsHiddenIsNotNamed has two managers fight below a field that differences hide as a whole,
// keys and names of elements with it.
func TestWhatIsHiddenIsNotNamed(t *testing.T) {
	kind := schema.GroupVersionKind{Group: "vault.example.com", Version: "v1", Kind: "Secret"}
	seeds.Run(t, 20, func(t *testing.T, rng *rand.Rand) {
		w := newWorld(t, rng)
		below := w.pick("token", "map/canary", "list/name=canary/value", "map/canary/deep")
		w.create(kind, web, w.pick("kubectl", "argocd", "helm"), set{"spec/" + below: "at first", "spec/other": "other"})
		w.call()
		w.fightOver("spec/"+below, 20, w.around(time.Second))
		if len(w.found) != 1 {
			t.Fatalf("found is %+v", w.found)
		}
		if e := w.found[0]; strings.Contains(fmt.Sprint(e), "canary") || !slices.Equal(e.Paths, []string{"spec"}) || !slices.Equal(e.Managers, []string{"argocd", "helm"}) {
			t.Errorf("with a fight over %s, found is %+v", below, e)
		}
	})
}

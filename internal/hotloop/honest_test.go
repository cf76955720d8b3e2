//go:build !race

// One goroutine plays all of this, and the race detector has nothing to find.

package hotloop

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// habit is something that honest writers do. It returns false when it has done all of it.
type habit func() (more bool)

// forever is a habit that does not end.
func forever(do func()) func() habit {
	return func() habit { return func() bool { do(); return true } }
}

// times is a habit that ends after n times.
func times(n int, do func(i int)) habit {
	i := -1
	return func() bool {
		i++
		if i < n {
			do(i)
		}
		return i < n
	}
}

// habits are all there are, for one object.
func habits(w *world, at, secret delta.Key) map[string]func() habit {
	return map[string]func() habit{
		"each their own": forever(func() {
			who := w.pick("a", "b", "c")
			w.write(at, who, set{"spec/of-" + who: w.pick("x", "y")})
		}),
		"counters": forever(func() {
			who := w.pick("a", "b")
			w.write(at, who, set{"status/count": int64(w.version), "status/seen": w.now.String()})
		}),
		"flips": forever(func() {
			w.write(at, "kubelet", set{"status/conditions/type=Ready/status": map[any]string{"True": "False"}[valueOf(w.objects[at].Object, "status/conditions/type=Ready/status")] + w.pick("", "True")})
		}),
		"another's condition": forever(func() {
			w.write(at, "gate", set{"status/conditions/type=Gate/status": w.pick("True", "False")})
		}),
		"toggles of one": forever(func() {
			w.write(at, "scaler", set{"spec/replicas": w.pick("1", "2"), "spec/mode": w.pick("day", "night")})
		}),
		"edits with status": forever(func() {
			w.write(at, "user", set{"spec/text": fmt.Sprint(w.rng.IntN(3))})
			w.callSometimes()
			w.write(at, me, set{"status/text": valueOf(w.objects[at].Object, "spec/text")})
		}),
		"children": func() habit {
			return times(40, func(i int) {
				w.create(siteKind, delta.Key{Namespace: "shop", Name: fmt.Sprint("child-", w.version)}, me, set{"spec/a": "b"})
				w.callSometimes()
				w.write(at, me, set{"status/children": int64(i)})
			})
		},
		"a rollout": func() habit {
			return times(8, func(i int) { w.write(at, me, set{"status/step": int64(i)}) })
		},
		"resyncs": forever(func() { w.resync(at) }),
		"handed over": func() habit {
			return times(3, func(i int) {
				w.write(at, []string{"first", "second"}[i%2], set{"spec/owner": []string{"one", "two"}[i%2]})
			})
		},
		"new values": forever(func() {
			w.write(at, w.pick("hpa", "operator"), set{"spec/scale": int64(w.version)})
		}),
		"one that returns among new values": forever(func() {
			w.write(at, "hpa", set{"spec/limit": int64(w.version)})
			w.callSometimes()
			w.write(at, "reset", set{"spec/limit": int64(1)})
		}),
		"reverts": func() habit {
			n, v := 1+w.rng.IntN(3), w.pick("mine", "other")
			return times(2*n+w.rng.IntN(2), func(i int) {
				w.write(at, []string{"user", me}[i%2], set{"spec/policy": []string{v, "at first"}[i%2]})
			})
		},
		"asks and answers": forever(func() {
			w.write(at, "user", set{"metadata/annotations/refresh": "true"})
			w.callSometimes()
			w.write(at, me, set{"metadata/annotations/refresh": nil, "status/refreshed": w.now.String()})
		}),
		"leaders": forever(func() {
			who := w.pick("x", "y", "z")
			w.write(at, who, set{"spec/leader": who + fmt.Sprint(w.version)})
		}),
		"a switch of three": func() habit {
			return times(60, func(i int) {
				w.write(at, []string{"x", "y", "z"}[i%3], set{"spec/switch": []string{"on", "off"}[i%2]})
			})
		},
		"passwords": forever(func() {
			w.write(secret, w.pick("vault", "rotation"), set{"data/password": fmt.Sprint(w.version)})
		}),
	}
}

func (w *world) callSometimes() {
	if w.rng.IntN(2) == 0 {
		w.call()
	}
}

func TestTheHonestAreNotAccused(t *testing.T) {
	seeds.Run(t, 40, func(t *testing.T, rng *rand.Rand) {
		w := newWorld(t, rng)
		at := delta.Key{Namespace: "shop", Name: "web"}
		w.create(siteKind, at, "kubectl", set{
			"spec/policy": "at first", "spec/owner": "none", "metadata/annotations/first": "x",
			"status/conditions/type=Ready/status": "True", "status/conditions/type=Gate/status": "True",
		})
		if rng.IntN(2) == 0 {
			often := 1 + rng.IntN(3)
			w.fails = func() bool { return rng.IntN(often+1) > 0 }
		}
		secret := delta.Key{Namespace: "shop", Name: "password"}
		w.create(secretKind, secret, "kubectl", set{"data/password": "at first"})
		w.strip = rng.IntN(4) == 0
		all := habits(w, at, secret)
		names := sortedKeys(all)
		rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		names = names[:1+rng.IntN(len(names))*rng.IntN(3)/2] // one alone, often
		var todo []habit
		for _, name := range names {
			todo = append(todo, all[name]())
		}
		pace := time.Duration(float64(time.Millisecond) * math.Pow(600_000, rng.Float64()))
		for range 150 {
			if len(todo) == 0 {
				break
			}
			w.pass(w.around(pace))
			// Most do one thing several times before another one comes.
			i := rng.IntN(len(todo))
			for range 1 + rng.IntN(3) {
				if !todo[i]() {
					todo[i] = todo[len(todo)-1]
					todo = todo[:len(todo)-1]
					break
				}
				w.callSometimes()
			}
			w.call()
		}
		if len(w.found) > 0 {
			t.Errorf("the honest are accused: %+v of %q", w.found, names)
		}
	})
}

// TestTakingTurnsIsNoFight has managers who set the same field to and fro because each does its work,
// and a controller that notes how far its own is.
func TestTakingTurnsIsNoFight(t *testing.T) {
	at := delta.Key{Namespace: "shop", Name: "web"}
	turns := func(w *world, path string, one, other any, times ...time.Duration) {
		for range 20 {
			w.pass(times[0])
			w.write(at, "one", set{path: one})
			w.call()
			w.pass(times[1])
			w.write(at, "other", set{path: other})
			w.call()
		}
	}
	notes := func(w *world, path string, every time.Duration) {
		for i := range 60 {
			w.pass(every)
			w.write(at, me, set{path: int64(i)})
			w.call()
		}
	}
	for name, live := range map[string]func(*world){
		"a reboot is asked for, and done":       func(w *world) { turns(w, "spec/reboot", true, false, 10*time.Minute, time.Minute) },
		"a queue starts jobs, and stops them":   func(w *world) { turns(w, "spec/suspend", false, true, 5*time.Minute, 5*time.Minute) },
		"one wakes it, another lets it sleep":   func(w *world) { turns(w, "spec/replicas", int64(1), int64(0), 7*time.Minute, 3*time.Minute) },
		"the operator says that it is alive":    func(w *world) { notes(w, "status/seen", time.Minute) },
		"work goes on in batches":               func(w *world) { notes(w, "status/batch", 20*time.Second) },
		"a rollout counts the nodes it has had": func(w *world) { notes(w, "status/nodes", 90*time.Second) },
	} {
		w := newWorld(t, rand.New(rand.NewPCG(1, 0)))
		w.create(siteKind, at, "kubectl", set{"spec/a": "b"})
		w.call()
		live(w)
		for _, e := range w.found {
			t.Errorf("%s: accused is %s of %v by %v after %d rounds", name, e.Pattern, e.Paths, e.Managers, e.Rounds)
		}
	}
}

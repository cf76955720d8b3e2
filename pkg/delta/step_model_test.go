package delta_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// TestStepsAgainstModel plays a reconciler of steps in a world that changes before, while
// and after its watches show it. The result of a step depends on nothing but what the step
// says that it depends on. Some calls end before all steps had their turn, as behind an if. So when all is quiet, everything that was made is what would be
// made now. A judge who remembers every change says as well when a step has to run. With one
// watch for each kind, which shows everything, the step must not run otherwise.
func TestStepsAgainstModel(t *testing.T) {
	ran, skipped := 0, 0
	seeds.Run(t, 200, func(t *testing.T, rng *rand.Rand) {
		g := newStepGame(rng)
		for range 250 {
			g.move(t)
		}
		g.settle(t)
		ran, skipped = ran+g.ran, skipped+g.skipped
	})
	if skipped < ran/10 {
		t.Errorf("%d steps ran and %d were skipped: there is little to be seen", ran, skipped)
	}
}

// thing is an object of the game: kind 0 are ConfigMaps, kind 1 Services.
type thing struct {
	kind int
	name string
}

// stepGame has one reconciler, which is asked for one request or another.
type stepGame struct {
	skips   bool // SkipOnResync
	rng     *rand.Rand
	ledger  *delta.Ledger[string]
	exact   bool // one watch for each kind, which shows everything
	calm    bool // nothing changes any more, and nothing fails
	world   map[thing]delta.Object
	version int
	log     [2][]delta.Change // of each kind
	last    [2]int            // how much of it need not be shown to everybody
	watches []*stepWatch

	relists, gaps uint64

	requests     map[string]*stepRequest
	ran, skipped int
}

// stepWatch shows what happened to a kind, at its own pace.
type stepWatch struct {
	stream delta.Stream[string]
	kind   int
	shown  int
}

// stepRequest is what is known of a request without the ledger.
type stepRequest struct {
	queued bool
	known  bool           // a call has dealt with all that it was told
	doubt  bool           // since a relist no call has
	since  []delta.Change // that have been shown since the last call that dealt with what it was told
	made   map[string]string
	past   map[string]bool // the steps that the last call which dealt with all did not get to
}

var things = []thing{{0, "c0"}, {0, "c1"}, {1, "s0"}, {1, "s1"}}

func kindOf(obj delta.Object) (schema.GroupVersionKind, error) {
	if _, ok := obj.(*corev1.ConfigMap); ok {
		return corev1.SchemeGroupVersion.WithKind("ConfigMap"), nil
	}
	return corev1.SchemeGroupVersion.WithKind("Service"), nil
}

func newStepGame(rng *rand.Rand) *stepGame {
	g := &stepGame{
		rng: rng, skips: rng.IntN(2) == 0,
		world: map[thing]delta.Object{}, requests: map[string]*stepRequest{},
	}
	g.ledger = delta.NewLedger[string](delta.LedgerOptions{KindOf: kindOf, SkipOnResync: g.skips})
	g.ledger.Relists(func() uint64 { return g.relists })
	g.ledger.Gaps(func() uint64 { return g.gaps })
	for range 1 + rng.IntN(2) {
		for kind := range g.log {
			g.watches = append(g.watches, &stepWatch{stream: g.ledger.NewStream(delta.ByContent), kind: kind})
		}
	}
	g.exact = len(g.watches) == len(g.log) && rng.IntN(3) > 0
	for _, name := range []string{"r0", "r1"} {
		g.requests[name] = &stepRequest{queued: true, made: map[string]string{}}
		g.record(name, resynced(at(1, 1))) // of a Deployment, which no step depends on
	}
	return g
}

// move is one thing that happens.
func (g *stepGame) move(t *testing.T) {
	switch p := g.rng.IntN(100); {
	case p < 15:
		g.happen()
	case p < 40:
		g.show(g.watches[g.rng.IntN(len(g.watches))])
	case p == 40:
		g.record(fmt.Sprint("r", g.rng.IntN(2)), delta.Change{Cause: delta.External})
	case p == 41 && !g.exact:
		g.relists++
		g.doubt()
	case p == 42 && !g.exact:
		w := g.watches[g.rng.IntN(len(g.watches))]
		w.shown = min(w.shown+1, len(g.log[w.kind])) // which is lost
		g.gaps++
		w.stream.Restart()
		g.doubt()
	default:
		g.call(t, fmt.Sprint("r", g.rng.IntN(2)))
	}
}

// doubt notes that no step of the next calls may be skipped.
func (g *stepGame) doubt() {
	for _, r := range g.requests {
		r.doubt = true
	}
}

// happen changes the world, and no watch shows it yet.
func (g *stepGame) happen() {
	of := things[g.rng.IntN(len(things))]
	before := g.world[of]
	kind := corev1.SchemeGroupVersion.WithKind([]string{"ConfigMap", "Service"}[of.kind])
	c := delta.Change{Cause: delta.Owned, Kind: kind, Key: delta.Key{Name: of.name}, Op: delta.Updated, Old: before}
	g.version++
	switch p := g.rng.IntN(20); {
	case before == nil:
		c.Op, c.New = delta.Added, g.changed(of, nil)
		c.New.SetUID(types.UID(fmt.Sprint(g.version)))
	case p == 0:
		c.Op, c.New = delta.Deleted, before
	case p < 8:
		c.Cause, c.Op, c.New = delta.Resync, delta.Sync, before
	default:
		c.New = g.changed(of, before)
	}
	if g.world[of] = c.New; c.Op == delta.Deleted {
		delete(g.world, of)
	}
	g.log[of.kind] = append(g.log[of.kind], c)
	g.last[of.kind] = len(g.log[of.kind])
}

// changed returns an object with another value in one field, or by chance the same.
func (g *stepGame) changed(of thing, before delta.Object) delta.Object {
	value, first := fmt.Sprint(g.rng.IntN(3)), g.rng.IntN(2) == 0
	if of.kind == 0 {
		obj := &corev1.ConfigMap{Data: map[string]string{"a": "0", "b": "0"}}
		if before != nil {
			obj = before.(*corev1.ConfigMap).DeepCopy()
		}
		obj.Data[map[bool]string{true: "a", false: "b"}[first]] = value
		obj.Name, obj.ResourceVersion = of.name, fmt.Sprint(g.version)
		return obj
	}
	obj := &corev1.Service{}
	if before != nil {
		obj = before.(*corev1.Service).DeepCopy()
	}
	if first {
		obj.Spec.ExternalName = value
	} else {
		obj.Labels = map[string]string{"x": value}
	}
	obj.Name, obj.ResourceVersion = of.name, fmt.Sprint(g.version)
	return obj
}

// show has a watch show the next change. Not every request is told of it: a function may
// map it to the other one, or a predicate hold it back.
func (g *stepGame) show(w *stepWatch) {
	if w.shown == len(g.log[w.kind]) {
		return
	}
	c := g.log[w.kind][w.shown]
	w.shown++
	d := w.stream.Begin(c)
	defer d.End()
	for name, r := range g.requests {
		if !g.exact && w.shown <= g.last[w.kind] && c.Op != delta.Deleted && g.rng.IntN(4) == 0 {
			continue
		}
		d.Record(name)
		g.ledger.Landed(name)
		r.queued, r.since = true, append(r.since, c)
	}
}

func (g *stepGame) record(name string, c delta.Change) {
	g.ledger.Record(name, c)
	g.ledger.Landed(name)
	r := g.requests[name]
	r.queued, r.since = true, append(r.since, c)
}

// settle ends the game: each object is shown once more, to all requests, and the reconciler
// is called until it has dealt with that.
func (g *stepGame) settle(t *testing.T) {
	for _, of := range things {
		if obj := g.world[of]; obj != nil {
			g.again(of, obj)
		}
	}
	g.calm = true
	for _, w := range g.watches {
		for w.shown < len(g.log[w.kind]) {
			g.show(w)
		}
	}
	for name, r := range g.requests {
		g.call(t, name)
		if len(r.since) > 0 {
			t.Errorf("%s has not dealt with %s", name, r.since)
		}
		for _, s := range steps {
			if got, want := r.made[s.name], s.makes(g.world); got != want && s.watched {
				t.Errorf("%s: %s made %s, and would make %s", name, s.name, got, want)
			}
		}
	}
}

// again shows a state once more, or a version of it that differs in nothing.
func (g *stepGame) again(of thing, obj delta.Object) {
	c := delta.Change{Cause: delta.Resync, Key: delta.Key{Name: of.name}, Op: delta.Sync, Old: obj, New: obj}
	c.Kind, _ = kindOf(obj)
	if g.rng.IntN(2) == 0 {
		g.version++
		c.Cause, c.Op, c.New = delta.Owned, delta.Updated, obj.DeepCopyObject().(delta.Object)
		c.New.SetResourceVersion(fmt.Sprint(g.version))
		g.world[of] = c.New
	}
	g.log[of.kind] = append(g.log[of.kind], c)
}

package skip

import (
	"fmt"
	"net/http"
	"time"

	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// anyDoor returns the door of a random watch.
func (g *generator) anyDoor() door {
	w := pick(g.rng, g.watches)
	return door{w.kind, w.form}
}

// longer draws how long a fault lasts.
func (g *generator) longer() time.Duration {
	return time.Duration(1 + g.rng.IntN(int(pick(g.rng, []time.Duration{50 * time.Millisecond, time.Second, 5 * time.Second}))))
}

func (g *generator) loss() *step {
	d, length := g.anyDoor(), g.longer()
	return g.newStep(fmt.Sprintf("%s cannot be watched for %v, and then the past is compacted away", d, length), func(w *world) {
		w.lose(d, http.StatusServiceUnavailable, length)
	})
}

func (g *generator) cut() *step {
	d := g.anyDoor()
	return g.newStep(fmt.Sprintf("the watch of %s is cut", d), func(w *world) { w.server.cut(d, errCut) })
}

func (g *generator) delay() *step {
	d, length := g.anyDoor(), g.longer()
	return g.newStep(fmt.Sprintf("the watch of %s is silent for %v", d, length), func(w *world) { w.hold(d, length) })
}

func (g *generator) removal() *step {
	d := g.anyDoor()
	return g.newStep(fmt.Sprintf("the informer of %s is removed", d), func(w *world) { w.removeInformer(d) })
}

func (g *generator) departure() *step {
	length, how := g.longer(), pick(g.rng, []informer.Removal{informer.Silently, informer.AsOutOfScope})
	return g.newStep(fmt.Sprintf("namespace two leaves the cache for %v (%v)", length, how), func(w *world) { w.depart("two", how, length) })
}

func (g *generator) uprooting() *step {
	for _, k := range g.kinds() {
		if k.typed != nil {
			continue
		}
		length := g.longer()
		return g.newStep(fmt.Sprintf("kind %s is removed from the server for %v", k, length), func(w *world) { w.uproot(k, length) })
	}
	return g.anySet()
}

func (g *generator) restart() *step {
	length := g.longer()
	return g.newStep(fmt.Sprintf("the manager stops, and starts again after %v", length), func(w *world) { w.restart(length) })
}

func (g *generator) relist() *step {
	d := g.anyDoor()
	return g.newStep(fmt.Sprintf("a new list of %s is asked for", d), func(w *world) { w.relist(d) })
}

func (g *generator) resync() *step {
	d := g.anyDoor()
	return g.newStep(fmt.Sprintf("a resync of %s is asked for", d), func(w *world) { w.resync(d) })
}

func (g *generator) ring() *step {
	id := pick(g.rng, g.objects(g.primary()))
	return g.newStep(fmt.Sprintf("a channel brings an event for %s", id), func(w *world) { w.ring(id) })
}

func (g *generator) ownWrite() *step {
	id, value := g.anyObject(), pick(g.rng, note.values)
	return g.newStep(fmt.Sprintf("the manager's client sets %s of %s to %v", note.path, id, value), func(w *world) { w.ownWrite(id, value) })
}

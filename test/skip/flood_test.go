package skip

import (
	"fmt"
	"time"
)

// filler is the name of an object that no primary object depends on.
const filler = "filler"

// deluge is the number of events in a flood: more than a listener may be behind.
const deluge = 4200

// flood makes a listener sleep. Meanwhile an object comes and goes, or changes its owner and
// changes back, and somebody reads it in between. Then there are more events than a listener
// may be behind.
func (g *generator) flood() *step {
	var slow []*watch
	for _, w := range g.watches {
		if w.pace == sleepy && w.relation.belongsAt() != nil {
			slow = append(slow, w)
		}
	}
	if len(slow) == 0 {
		return g.anySet()
	}
	w := pick(g.rng, slow)
	id := pick(g.rng, g.objects(w.kind))
	f := &flood{generator: g, watch: w, id: id, birth: g.create(id), to: pick(g.rng, []string{"m", "n"}), goes: g.settled || g.rng.IntN(2) == 0}
	if g.settled {
		f.to = map[string]string{"x": "m", "y": "n"}[id.name]
	}
	return g.newStep(fmt.Sprintf("listeners of %s sleep while something happens to %s, and a flood of events", w.kind, id), f.come)
}

// flood is one such step.
type flood struct {
	*generator
	watch *watch
	id    objectID
	birth *step
	to    string // the name of the primary object that becomes the owner
	goes  bool   // it comes and goes
}

func (f *flood) come(w *world) {
	before := w.server.present(f.id)
	switch {
	case f.goes && before != nil:
		w.remove(f.id)
		time.Sleep(500 * time.Millisecond)
	case !f.goes && before == nil:
		f.birth.do(w)
		time.Sleep(500 * time.Millisecond)
		before = w.server.present(f.id)
	}
	to := f.to
	if !f.goes && belongsTo(f.watch.relation, before.object) == to {
		to = map[string]string{"m": "n", "n": "m"}[to]
	}
	w.drowsy.Store(true)
	w.server.flood(objectID{f.id.kind, f.id.namespace, filler}, 1)
	time.Sleep(10 * time.Millisecond)
	if f.goes {
		f.birth.do(w)
	}
	given := setting{f.watch.relation.belongsAt(), to}
	if f.watch.relation == byOwner {
		given.value = f.owner(to)
	}
	w.alter(f.id, given)
	w.poke(objectID{f.primary(), f.id.namespace, to})
	time.Sleep(time.Second)
	if f.goes {
		w.remove(f.id)
	} else {
		w.change(f.id, inherited(f.id.kind, before.object)...)
	}
	w.server.flood(objectID{f.id.kind, f.id.namespace, filler}, deluge)
	time.Sleep(time.Second)
	w.drowsy.Store(false)
}

// belongsTo returns the name of the primary object that an object belongs to.
func belongsTo(r relation, object map[string]any) string {
	if r == byOwner {
		return ownerOf(object)
	}
	name, _ := labelled.get(object).(string)
	return name
}

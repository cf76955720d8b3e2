package skip

import (
	"fmt"
	"slices"
	"time"
)

// step is something that happens in a world, some time after the step before it.
type step struct {
	after time.Duration
	what  string
	do    func(*world)
}

// String is the text of the step in stories.
func (s *step) String() string { return fmt.Sprintf("after %v: %s", s.after, s.what) }

// script draws the steps.
func (g *generator) script() {
	for _, k := range g.kinds() {
		for _, id := range g.objects(k) {
			if k == g.primary() || g.rng.IntN(3) > 0 {
				g.births = append(g.births, g.create(id))
			}
		}
	}
	events := g.events()
	for range 12 + g.rng.IntN(28) {
		s := pick(g.rng, events)()
		s.after = g.pause()
		g.steps = append(g.steps, s)
	}
	if g.has(crashes) { // only at the end, because later events would make up for it
		if doom := g.doom(); doom != nil {
			g.steps = append(g.steps, doom)
		}
	}
}

// pause draws the time until the next step.
func (g *generator) pause() time.Duration {
	most := pick(g.rng, []time.Duration{
		1, 2 * time.Millisecond, 2 * time.Millisecond, 30 * time.Millisecond, 30 * time.Millisecond, 300 * time.Millisecond,
	})
	return time.Duration(1 + g.rng.IntN(int(most)))
}

// events are the sorts of steps. The likely ones are in it several times.
func (g *generator) events() []func() *step {
	events := []func() *step{
		g.anySet, g.anySet, g.anySet, g.anySet, g.anySet, g.anySet, g.anyFlicker, g.anyFlicker, g.anyFlicker,
		func() *step { return g.create(g.anyObject()) }, func() *step { return g.remove(g.anyObject()) },
	}
	add := func(t traits, times int, event func() *step) {
		for range times {
			if g.has(t) {
				events = append(events, event)
			}
		}
	}
	add(moves, 3, g.anyMove)
	add(rebirths, 2, g.rebirth)
	add(losses, 2, g.loss)
	add(losses, 1, g.cut)
	add(losses, 1, g.relist)
	add(delays, 2, g.delay)
	add(removals, 1, g.removal)
	add(departures, 1, g.departure)
	add(uprootings, 1, g.uprooting)
	if !g.has(memories) {
		add(restarts, 1, g.restart)
	}
	add(memories, 4, g.nextLife)
	add(resyncs, 3, g.resync)
	add(oddities, 3, g.refusal)
	add(channels, 2, g.ring)
	add(ownWrites, 2, g.ownWrite)
	return events
}

func (g *generator) anyKind() *kind { return pick(g.rng, g.watches).kind }

func (g *generator) anyObject() objectID { return pick(g.rng, g.objects(g.anyKind())) }

// setting is a change of one object.
type setting struct {
	place *place
	value any
}

func (g *generator) newStep(what string, do func(*world)) *step { return &step{what: what, do: do} }

// create creates an object. If it exists, it gets the content of a new one.
func (g *generator) create(id objectID) *step {
	var all []setting
	for _, p := range id.kind.places {
		if g.rng.IntN(2) == 0 {
			all = append(all, setting{p, pick(g.rng, p.values)})
		}
	}
	all = append(all, g.belongings(id)...)
	return g.newStep(fmt.Sprintf("create or set %s: %s", id, describe(all)), func(w *world) { w.change(id, all...) })
}

func describe(all []setting) string {
	text := ""
	for _, s := range all {
		text += fmt.Sprintf("%s=%v ", s.place.path, s.value)
	}
	return text
}

// belongings are the settings that say what an object belongs to, or what it names. If no
// object changes its owner, they follow from the name.
func (g *generator) belongings(id objectID) []setting {
	name := pick(g.rng, []string{"m", "n"})
	mentioned := pick(g.rng, []string{"x", "y"})
	if g.settled {
		name, mentioned = map[string]string{"x": "m", "y": "n"}[id.name], map[string]string{"m": "x", "n": "y"}[id.name]
	}
	if id.kind == g.primary() {
		if id.kind.ref == nil {
			return nil
		}
		return []setting{{id.kind.ref, mentioned}}
	}
	return []setting{{labelled, name}, {owned, g.owner(name)}}
}

// owner returns the owner references of an object.
func (g *generator) owner(name string) any {
	version, kind := g.primary().ToAPIVersionAndKind()
	return []any{map[string]any{
		"apiVersion": version, "kind": kind, "name": name, "uid": "of-" + name, "controller": true,
	}}
}

// anyPlace draws a place that a job depends on, or any other.
func (g *generator) anyPlace() (*kind, *place) {
	if len(g.jobs) > 0 && g.rng.IntN(4) > 0 {
		if j := pick(g.rng, g.jobs); j.place != nil {
			return j.kind, j.place
		}
	}
	k := g.anyKind()
	return k, pick(g.rng, k.places)
}

func (g *generator) anySet() *step {
	k, p := g.anyPlace()
	id, value := pick(g.rng, g.objects(k)), pick(g.rng, p.values)
	return g.newStep(fmt.Sprintf("set %s of %s to %v", p.path, id, value), func(w *world) { w.alter(id, setting{p, value}) })
}

// anyFlicker removes a value, and sets it again later.
func (g *generator) anyFlicker() *step {
	k, p := g.anyPlace()
	id, value := pick(g.rng, g.objects(k)), pick(g.rng, p.values)
	return g.flicker(id, setting{p, value})
}

func (g *generator) flicker(id objectID, s setting) *step {
	gap := g.pause()
	what := fmt.Sprintf("set %s of %s to %s, and back after %v", s.place.path, id, text(s.value), gap)
	return g.undone(what, id, s, func(*world) { time.Sleep(gap) })
}

// undone removes a value, and sets it again after another step.
func (g *generator) undone(what string, id objectID, s setting, meanwhile func(*world)) *step {
	return g.newStep(what, func(w *world) {
		before := w.server.present(id)
		if before == nil {
			return
		}
		back := setting{s.place, s.place.get(before.copied())}
		w.alter(id, s)
		meanwhile(w)
		w.alter(id, back)
	})
}

// refusal sets a state of a Secret that the transform refuses. The reconcilers are called
// while the server has it, and then it is undone.
func (g *generator) refusal() *step {
	if g.odd != secret {
		return g.anySet()
	}
	id, gap := pick(g.rng, g.objects(secret)), 30*time.Millisecond+g.pause()
	refused := setting{secret.places[0], refusedValue}
	what := fmt.Sprintf("set %s of %s to a value that is refused, call all reconcilers, and set it back after %v", refused.place.path, id, gap)
	return g.undone(what, id, refused, func(w *world) {
		time.Sleep(gap)
		for _, primary := range w.objects(w.primary()) {
			w.poke(primary)
		}
		time.Sleep(gap)
	})
}

// anyMove makes an object belong to another one, or name another one.
func (g *generator) anyMove() *step {
	id := g.anyObject()
	all := g.belongings(id)
	if len(all) == 0 {
		return g.anySet()
	}
	s := pick(g.rng, all)
	if g.rng.IntN(3) == 0 {
		s.value = nil
	}
	if g.rng.IntN(2) == 0 {
		return g.flicker(id, s)
	}
	return g.newStep(fmt.Sprintf("set %s of %s to %s", s.place.path, id, text(s.value)), func(w *world) { w.alter(id, s) })
}

// doom makes handlers that panic at times do so at the last change that they are told. A job
// depends on the place of that change. It is nil if there is no such handler.
func (g *generator) doom() *step {
	var all []*job
	for _, j := range g.jobs {
		if slices.ContainsFunc(j.shownBy, func(w *watch) bool { return w.crashes }) && j.place != nil {
			all = append(all, j)
		}
	}
	if len(all) == 0 {
		return nil
	}
	j := pick(g.rng, all)
	id, value := pick(g.rng, g.objects(j.kind)), pick(g.rng, j.place.values)
	s := g.newStep(fmt.Sprintf("handlers panic while %s of %s is set to %v", j.place.path, id, value), func(w *world) {
		w.doomed.Store(true)
		w.alter(id, setting{j.place, value})
		time.Sleep(500 * time.Millisecond)
		w.doomed.Store(false)
	})
	s.after = 5 * time.Second // after a panic a handler gets no events for a while
	return s
}

func (g *generator) remove(id objectID) *step {
	return g.newStep(fmt.Sprintf("delete %s", id), func(w *world) { w.remove(id) })
}

// rebirth deletes an object, and creates one that differs from it only in its UID.
func (g *generator) rebirth() *step {
	id, gap := g.anyObject(), g.pause()
	return g.newStep(fmt.Sprintf("delete %s, and create it again after %v", id, gap), func(w *world) {
		before := w.server.present(id)
		if before == nil {
			return
		}
		w.remove(id)
		time.Sleep(gap)
		w.change(id, inherited(id.kind, before.object)...)
	})
}

// inherited returns all parts of an object that a world changes.
func inherited(k *kind, object map[string]any) []setting {
	var all []setting
	for _, p := range append([]*place{labelled, owned, k.ref, k.poke}, k.places...) {
		if p != nil {
			all = append(all, setting{p, p.get(object)})
		}
	}
	return all
}

package skip

import (
	"math/rand/v2"
	"slices"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// generator makes a plan from a seed.
type generator struct {
	*plan
	rng *rand.Rand
}

// likely is the share of worlds with each trait, in percent.
var likely = map[traits]int{
	predicates: 50, twins: 45, slowness: 25, metadata: 30, liveReads: 35, losses: 25, delays: 25,
	removals: 12, departures: 10, uprootings: 8, restarts: 12, failures: 35, postponements: 35, misspellings: 20,
	lookalikes: 20, crashes: 8, foreigners: 20, rebirths: 30, questions: 50, resyncs: 15, channels: 10,
	ownWrites: 10, lives: 30, moves: 50, narrowness: 10, latecomers: 10, oddities: 8, detours: 10, hiding: 15,
	stepwise: 40,
}

// newPlan returns the plan of a seed, without some traits. No seed has memories: see newMemoryPlan.
func newPlan(seed uint64, without traits) *plan { return makePlan(seed, 0, without) }

func makePlan(seed uint64, with, without traits) *plan {
	g := &generator{plan: &plan{seed: seed, dice: dice(seed)}, rng: rand.New(rand.NewPCG(seed, 7))}
	for i := range traitNames {
		if t := traits(1) << i; g.rng.IntN(100) < likely[t] {
			g.traits |= t
		}
	}
	g.traits = (g.traits | with) &^ without
	if g.has(resyncs) { // if an unchanged object is shown, it has to be a resync
		g.traits &^= losses | removals | departures | uprootings | restarts
	}
	g.poked = g.mustPoke() || g.rng.IntN(2) == 0
	g.settled = !g.has(moves)
	g.streaming = g.rng.IntN(2) == 0
	g.workers = 1 + g.rng.IntN(2)
	g.sluggish = g.dice.percent(20, "sluggish")
	g.namespaces = []string{"one"}
	if g.has(departures) {
		g.namespaces = []string{"one", "two"}
	}
	g.watchAll()
	g.work()
	g.script()
	return g.plan
}

// mustPoke reports whether something can happen in the world after which there is work but no
// call, and the library can't help it:
//
//   - A live read sees a state between two states of a watch that has lost its history.
//   - An object is deleted, or changes its owner, while its kind or namespace is not
//     followed, or the manager does not run.
//   - The user's handler panics at an event, or can't be told the event.
//   - A call succeeds that has not come to all steps.
func (g *generator) mustPoke() bool {
	return g.has(liveReads) && g.has(losses|uprootings) || g.has(removals|departures|restarts|crashes|oddities|stepwise)
}

// watchAll draws the watches.
func (g *generator) watchAll() {
	primaries := []*kind{configMap, deployment, gadget}
	if g.has(lookalikes) {
		primaries = []*kind{namedSecret}
	}
	first := &watch{kind: pick(g.rng, primaries), route: viaFor}
	first.form = g.form(first.kind)
	g.add(first)
	secondaries := slices.DeleteFunc([]*kind{configMap, secret, deployment, gadget}, func(k *kind) bool { return k == first.kind })
	g.rng.Shuffle(len(secondaries), func(i, j int) { secondaries[i], secondaries[j] = secondaries[j], secondaries[i] })
	if g.has(twins) && g.rng.IntN(2) == 0 {
		g.add(&watch{kind: first.kind, form: g.form(first.kind), route: g.route(itself)})
	}
	secondaries = secondaries[:1+g.rng.IntN(2)]
	for _, k := range secondaries {
		if g.has(oddities) && (k == configMap || k == secret) {
			g.odd = k
		}
	}
	for _, k := range secondaries {
		count := 1
		if g.has(twins) {
			count = 1 + g.rng.IntN(3)
		}
		relations := []relation{byOwner, byLabel}
		if first.form != metadataForm && first.kind.ref != nil {
			relations = append(relations, byMention)
		}
		usual := pick(g.rng, relations)
		for range count {
			w := &watch{kind: k, form: g.form(k), relation: usual}
			if g.rng.IntN(3) == 0 {
				w.relation = pick(g.rng, relations)
			}
			w.route = g.route(w.relation)
			if k == g.odd && w.form == typedForm && g.rng.IntN(2) == 0 {
				w.route = viaTyped
			}
			g.add(w)
		}
	}
}

// form draws the form in which a kind is watched.
func (g *generator) form(k *kind) form {
	switch {
	case g.has(metadata) && g.rng.IntN(2) == 0:
		return metadataForm
	case k.typed == nil || g.rng.IntN(5) == 0:
		return mapForm
	default:
		return typedForm
	}
}

// route draws how a watch is built.
func (g *generator) route(r relation) route {
	routes := []route{viaWatches, viaWatches, viaWatches, viaOurs}
	if r == byOwner {
		routes = append(routes, viaOwns, viaOwns, viaOwns)
	}
	if g.has(foreigners) {
		routes = append(routes, viaDeltas)
		if !g.has(removals | crashes) { // controller-runtime's source does not survive this, and does not tell it
			routes = append(routes, viaTheirs, viaTheirs)
		}
	}
	return pick(g.rng, routes)
}

// add completes a watch and adds it to the plan.
func (g *generator) add(w *watch) {
	w.n = len(g.watches)
	var must []*place
	if at := w.relation.belongsAt(); at != nil && !g.settled {
		must = append(must, at)
	}
	if w.relation == itself {
		if w.kind.ref != nil {
			must = append(must, w.kind.ref)
		}
		if w.n == 0 && g.poked {
			must = append(must, w.kind.poke)
		}
	}
	w.filter = unfiltered
	if w.route != viaDeltas && w.route != viaTyped {
		w.filter = g.filter(w, must)
	}
	if w.route != viaFor && w.route != viaOwns {
		switch {
		case g.has(slowness) && g.rng.IntN(2) == 0:
			w.pace = sleepy
		case g.has(detours) && g.rng.IntN(2) == 0:
			w.pace = delaying
		}
		w.late = g.has(latecomers) && w.route >= viaOurs && g.rng.IntN(2) == 0
		w.crashes = g.has(crashes) && g.rng.IntN(2) == 0
	}
	g.watches = append(g.watches, w)
}

// work draws the jobs of the operators. Each watch gets at least one.
func (g *generator) work() {
	for _, w := range g.watches {
		for range 1 + g.rng.IntN(2) {
			j := &job{n: len(g.jobs), kind: w.kind, relation: w.relation, form: w.form, manner: manner(g.rng.IntN(2))}
			if places := w.visible(w.filter); g.rng.IntN(8) > 0 {
				j.place = pick(g.rng, places)
			}
			if j.place != nil {
				j.spelled = j.place.path
				if g.has(misspellings) && len(j.place.wrong) > 0 && g.rng.IntN(2) == 0 {
					j.spelled = pick(g.rng, j.place.wrong)
				}
				if w.form == metadataForm && !j.place.inMetadata() {
					if !g.has(liveReads) {
						continue // the job could not see a change there
					}
					j.manner, j.form = readingLive, typedForm
				}
			}
			if g.has(liveReads) && g.rng.IntN(2) == 0 || w.kind == g.odd {
				j.manner = readingLive
			}
			j.life = g.has(lives) && g.rng.IntN(2) == 0 && w.filter.ours
			j.example = pick(g.rng, []form{typedForm, mapForm, metadataForm})
			j.asks = g.question(j)
			if g.has(stepwise) && g.rng.IntN(3) > 0 {
				j.asks, j.notOnResync = askStep, g.rng.IntN(3) == 0
			}
			if j.shownBy = g.showing(j); len(j.shownBy) > 0 {
				g.jobs = append(g.jobs, j)
			}
		}
	}
	for i, j := range g.jobs {
		j.n = i
	}
}

// question draws how a job asks delta.From. Only is not about places, so it is for jobs that
// depend on the existence of objects.
func (g *generator) question(j *job) question {
	if !g.has(questions) {
		return askTouches
	}
	switch g.rng.IntN(7) {
	case 0, 1:
		return askOf
	case 2, 3:
		return askBy
	case 4:
		return askHas
	case 5:
		return askOnlySync
	default:
		if j.relation == itself && j.place == nil && !j.life {
			return askOnlyUpdated
		}
		return askTouches
	}
}

// showing returns the watches that show everything that a job depends on: its place, the
// owner of the object, and whether it is a new object. They also decide with which causes the
// job calls By.
func (p *plan) showing(j *job) []*watch {
	var all []*watch
	for _, w := range p.watches {
		switch at := j.relation.belongsAt(); {
		case w.kind != j.kind, w.relation != j.relation, w.late: // there was no watch before
		case j.place != nil && !w.filter.shows(j.place), j.life && !w.filter.ours:
		case at != nil && !p.settled && !w.filter.shows(at):
		case j.manner != readingLive && w.form != j.form: // another informer, which may be behind
		default:
			all = append(all, w)
		}
	}
	return all
}

// causes returns the causes for By. The lazy operator knows which watches it has.
func (j *job) causes() []delta.Cause {
	var all []delta.Cause
	for _, w := range j.shownBy {
		cause := delta.Mapped
		switch w.route {
		case viaFor:
			cause = delta.Primary
		case viaOwns:
			cause = delta.Owned
		default:
		}
		if !slices.Contains(all, cause) {
			all = append(all, cause)
		}
	}
	return all
}

package sim

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"time"
)

// generator draws a script.
type generator struct {
	rng    *rand.Rand
	pen    *pen
	script *script
	names  int      // number of handlers up to now
	there  []string // handlers that have not been removed
	late   int      // number of indexers added while the informer runs
	kept   bool     // there is a backup
}

func newGenerator(seed, kind uint64) *generator {
	rng := rand.New(rand.NewPCG(seed, kind))
	g := &generator{rng: rng, pen: newPen(rng), script: &script{seed: seed}}
	g.script.server = serverConfig{
		seed:       seed,
		streaming:  g.one(2),
		bookmarks:  []time.Duration{0, 10 * time.Second, time.Minute}[rng.IntN(3)],
		duplicates: []int{0, 0, 5}[rng.IntN(3)],
		slow:       []int{0, 0, 4}[rng.IntN(3)],
		lateEnd:    g.one(2),
		pageCap:    []int{0, 2, 3}[rng.IntN(3)],
	}
	g.script.noStreams = g.one(5)
	g.script.transform = g.one(4)
	g.script.spin = []int{0, 50, 1000}[rng.IntN(3)]
	g.script.server.dawdle = g.script.spin / 4
	g.script.resync = []time.Duration{0, 0, 7 * time.Second, time.Minute}[rng.IntN(4)]
	return g
}

// one is true one time out of n.
func (g *generator) one(n int) bool { return g.rng.IntN(n) == 0 }

func (g *generator) millis(most int) time.Duration {
	return time.Duration(g.rng.IntN(most+1)) * time.Millisecond
}

func (g *generator) add(s step) { g.script.steps = append(g.script.steps, s) }

// paced draws a script that waits after each step. The server fails only in ways that leave
// the informer no choice: either only the connection was lost and the watch can be resumed,
// or it can't be resumed and the informer has to list again. So two informers must tell the
// same.
func paced(seed uint64) *script {
	g := newGenerator(seed, 1)
	g.prologue()
	for range 3 + g.rng.IntN(8) {
		switch g.rng.IntN(12) {
		case 0, 1, 2:
			g.add(writes{list: g.pen.some(12, allKeys), writers: 1 + g.rng.IntN(3)})
		case 3, 4:
			g.add(outage{gate: g.gate(), list: g.pen.some(8, allKeys), down: g.millis(9000)})
		case 5, 6, 7:
			g.add(outage{
				expire: true, with: g.cutWith(), gate: g.gate(), faults: g.faults(),
				list: g.pen.some(8, allKeys), down: g.millis(9000),
			})
		case 8:
			g.handler()
		case 9:
			g.midway()
		case 10:
			g.disaster()
		case 11:
			g.add(stall{list: g.pen.some(6, allKeys), lasts: g.millis(240_000)})
		}
	}
	g.add(writes{list: g.pen.some(4, allKeys), writers: 1})
	return g.script
}

// prologue draws what happens before the informer runs, and its start.
func (g *generator) prologue() {
	if initial := g.pen.some(10, allKeys); len(initial) > 0 {
		g.add(initially{list: initial})
	}
	for range 1 + g.rng.IntN(3) {
		g.handler()
	}
	if g.one(8) {
		g.removal()
	}
	g.add(start{faults: g.faults()})
}

func (g *generator) handler() {
	h := addHandler{name: fmt.Sprint("h", g.names), resync: -1}
	if g.one(3) {
		// The handler is fast enough for all its calls within the shortest resync period.
		h.slow = time.Millisecond + g.millis(250)
	}
	if g.one(3) {
		h.resync = time.Duration(5+g.rng.IntN(60)) * time.Second
	}
	g.names++
	g.there = append(g.there, h.name)
	g.add(h)
}

func (g *generator) removal() {
	if len(g.there) == 0 {
		return
	}
	i := g.rng.IntN(len(g.there))
	name := g.there[i]
	g.there = append(g.there[:i:i], g.there[i+1:]...)
	g.add(removeHandler{name: name, wait: g.one(2)})
}

// midway draws what a user does while the informer runs.
func (g *generator) midway() {
	switch g.rng.IntN(4) {
	case 0, 1:
		g.removal()
	case 2:
		g.late++
		g.add(addIndexer{name: fmt.Sprint("late", g.late)})
	case 3:
		g.add(passes{d: g.millis(150_000)})
	}
}

func (g *generator) disaster() {
	if !g.kept || g.one(2) {
		g.kept = true
		g.pen.kept = maps.Clone(g.pen.live)
		g.add(keepBackup{})
		return
	}
	g.pen.live = maps.Clone(g.pen.kept)
	g.add(restored{list: g.pen.some(5, allKeys), gate: g.gate(), faults: g.faults()})
}

func (g *generator) gate() gate { return gate(g.rng.IntN(int(gateThrottle) + 1)) }

func (g *generator) cutWith() fault {
	return []fault{faultNone, faultInternal, faultThrottled, faultExpired}[g.rng.IntN(4)]
}

func (g *generator) faults() []fault {
	var faults []fault
	if g.one(2) {
		for range 1 + g.rng.IntN(3) {
			faults = append(faults, fault(g.rng.IntN(int(faultCount))))
		}
	}
	return faults
}

// stormy draws a script that waits for nothing: writers, outages, handlers and the informer
// run independently. Two informers may tell different things. But each must tell what follows
// from what the server has sent it.
func stormy(seed uint64) *script {
	g := newGenerator(seed, 2)
	g.script.server.staleListed = g.one(3)
	g.prologue()
	writers := 1 + g.rng.IntN(3)
	for w := range writers {
		var keys []string
		for i := w; i < len(allKeys); i += writers {
			keys = append(keys, allKeys[i])
		}
		var list []timedWrite
		for range 10 + g.rng.IntN(40) {
			for _, one := range g.pen.any(keys[g.rng.IntN(len(keys))]) {
				list = append(list, timedWrite{after: g.gap(), write: one})
			}
		}
		g.script.writers = append(g.script.writers, list)
	}
	for range 5 + g.rng.IntN(15) {
		g.add(passes{d: g.millis(3000)})
		g.weather()
	}
	return g.script
}

// gap is a pause. Mostly it is zero, so that changes pile up, and sometimes it is long.
func (g *generator) gap() time.Duration {
	if g.one(3) {
		return g.millis(2000)
	}
	return 0
}

func (g *generator) weather() {
	switch g.rng.IntN(9) {
	case 0, 1:
		g.add(disturb{cut: true, with: g.cutWith()})
	case 2:
		g.add(disturb{cut: true, with: g.cutWith(), compact: true, faults: g.faults()})
	case 3:
		g.add(disturb{cut: g.one(2), gate: g.gate()})
	case 4:
		g.add(disturb{compact: true, faults: g.faults(), stale: true})
	case 5:
		g.add(disturb{stalled: g.one(2)})
	case 6, 7:
		g.handler()
	case 8:
		g.midway()
	}
}

//go:build !race

package builder_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// walk takes every way through a scope. Ways that lead to the same state go on as one. A world
// can't be copied, so each way is gone from the start.
type walk struct {
	*scope
	tally    tally
	next     map[state][]state // where a step leads from each state
	broken   string
	shortest bool // the short ways are gone first
	apart    bool // ways that lead to the same state go on apart
	ends     int  // where nothing more could happen
}

// way is how to get somewhere.
type way struct {
	steps []string
	from  state // before the last step
}

func (w way) and(step string, from state) way {
	return way{append(slices.Clone(w.steps), step), from}
}

// enough is how many states are looked at to find a short way.
const enough = 3000

// run ends when all ways are gone, or something is wrong.
func (w *walk) run() {
	w.next = map[state][]state{}
	for ways := []way{{}}; len(ways) > 0 && w.broken == ""; {
		if w.shortest && w.tally.states > enough {
			return
		}
		i := len(ways) - 1
		if w.shortest {
			i = 0
		}
		taken := ways[i]
		ways = append(slices.Delete(ways, i, i+1), w.follow(taken)...)
	}
}

// follow goes a way, and on until there is nothing new. It returns the ways that it has left
// aside.
func (w *walk) follow(taken way) (aside []way) {
	p := w.begin()
	defer p.end()
	p.judge.tally = &w.tally
	for i, name := range taken.steps {
		p.judge.off = i < len(taken.steps)-1 // which was judged when it was new
		p.step(name)
	}
	for {
		at := p.state()
		if len(taken.steps) > 0 {
			w.next[taken.from] = append(w.next[taken.from], at)
		}
		steps := p.steps()
		_, known := w.next[at]
		if len(steps) == 0 {
			p.judge.rest()
			w.ends++
		}
		switch {
		case p.judge.broken != "":
			w.broken = p.judge.broken + "\nafter\n  " + strings.Join(taken.steps, "\n  ")
			return nil
		case known && !w.apart, len(steps) == 0:
			return aside
		}
		w.next[at] = nil
		w.tally.states++
		for _, s := range steps[1:] {
			aside = append(aside, taken.and(s.name, at))
		}
		taken = taken.and(steps[0].name, at)
		if w.shortest {
			return append([]way{taken}, aside...)
		}
		steps[0].do()
	}
}

// step takes a step by its name.
func (p *play) step(name string) {
	all := p.steps()
	i := slices.IndexFunc(all, func(s step) bool { return s.name == name })
	if i < 0 {
		panic(fmt.Sprintf("there is no step %q; a world went another way than before", name))
	}
	all[i].do()
}

// ways counts all ways from a state to an end.
func (w *walk) ways(from state, counted map[state]float64) float64 {
	if n, ok := counted[from]; ok {
		return n
	}
	var n float64
	for _, to := range w.next[from] {
		n += w.ways(to, counted)
	}
	if len(w.next[from]) == 0 {
		n = 1
	}
	counted[from] = n
	return n
}

// through walks through a scope, and fails with a way on which something is wrong, the shortest
// if that is found soon.
func (s *scope) through(t *testing.T) tally {
	w := &walk{scope: s}
	w.run()
	if w.broken != "" {
		again := &walk{scope: s, shortest: true}
		again.run()
		t.Fatal(cmp.Or(again.broken, w.broken))
	}
	p := s.begin()
	defer p.end()
	w.tally.ways = w.ways(p.state(), map[state]float64{})
	return w.tally
}

package delta_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// stepCall is one call of the reconciler.
type stepCall struct {
	*stepGame
	of     *stepRequest
	told   []delta.Change
	known  bool            // whether a step may be skipped is judged
	failed bool            // a step has
	good   bool            // none will
	past   map[string]bool // steps that the call does not get to
}

func (g *stepGame) call(t *testing.T, name string) {
	r := g.requests[name]
	if !r.queued {
		return
	}
	r.queued = false
	doubts := g.relists + g.gaps
	ctx, call := g.ledger.Begin(t.Context(), name)
	c := &stepCall{stepGame: g, of: r, told: slices.Clone(r.since), known: r.known && !r.doubt, good: g.rng.IntN(3) > 0, past: map[string]bool{}}
	how, said := c.reconcile(ctx, t), delta.Outcome(0)
	switch p := g.rng.IntN(10); {
	case g.calm:
	case how == 0: // it panicked
		how = delta.Failed
	case p < 2:
		delta.Settle(ctx)
		said = delta.Succeeded
	case p == 2:
		delta.Keep(ctx)
		said = delta.Unfinished
	}
	if how == delta.Succeeded && call.Err() != nil { // as our builder does
		how = delta.Failed
	}
	call.End(how)
	if (call.Err() != nil) != c.failed {
		t.Errorf("a step has failed: %t, and the error of the call is %v", c.failed, call.Err())
	}
	r.queued = r.queued || how != delta.Succeeded
	if !c.failed && (said == delta.Succeeded || said == 0 && how == delta.Succeeded) {
		r.since, r.known, r.doubt = r.since[len(c.told):], true, r.doubt && doubts != g.relists+g.gaps
		r.past = c.past
	}
}

// reconcile does the steps, and returns what becomes of the call, or zero for a panic.
func (c *stepCall) reconcile(ctx context.Context, t *testing.T) (how delta.Outcome) {
	defer func() { _ = recover() }()
	plan := delta.Plan(ctx)
	swallows := c.rng.IntN(2) == 0
	passes := func() bool { return !c.calm && c.rng.IntN(12) == 0 }
	for i, s := range steps {
		if passes() { // it leaves, and all is well
			for _, s := range steps[i:] {
				c.past[s.name] = true
			}
			break
		}
		if passes() {
			c.past[s.name] = true
			continue
		}
		err := c.step(t, s, s.on(plan))
		if err != nil && !swallows {
			return delta.Failed
		}
	}
	if c.calm {
		return delta.Succeeded
	}
	return []delta.Outcome{delta.Succeeded, delta.Succeeded, delta.Succeeded, delta.Unfinished, delta.Failed}[c.rng.IntN(5)]
}

// step does one of the steps, while other things happen.
func (c *stepCall) step(t *testing.T, s modelStep, step delta.Step) error {
	did, asked := false, s.runs(c.told) || !c.skips && slices.ContainsFunc(c.told, func(told delta.Change) bool { return told.Is(delta.Resync) })
	err := step.Do(s.name, func(context.Context) error {
		did = true
		c.meanwhile()
		made := s.makes(c.world)
		c.meanwhile()
		switch fate := c.rng.IntN(6); {
		case c.calm || c.good:
		case fate == 0:
			c.failed = true
			return errAsked
		case fate == 1:
			c.failed = true
			panic("as the game wants it")
		}
		c.of.made[s.name] = made
		return nil
	})
	if did {
		c.ran++
	} else {
		c.skipped++
	}
	defer func() {
		if did && err == nil {
			delete(c.of.past, s.name)
		}
	}()
	switch {
	case !did && (asked || !c.known || c.of.past[s.name]):
		t.Errorf("%s was skipped after %s; the last call passed by it: %t", s.name, c.told, c.of.past[s.name])
	case did && !asked && c.known && c.exact && !c.of.past[s.name]:
		t.Errorf("%s ran after %s", s.name, c.told)
	}
	return err
}

func (c *stepCall) meanwhile() {
	for range c.rng.IntN(8) - 5 {
		if c.calm {
			return
		}
		if c.rng.IntN(2) == 0 {
			c.happen()
		} else {
			c.show(c.watches[c.rng.IntN(len(c.watches))])
		}
	}
}

// modelStep is a step, and what the judge knows of it.
type modelStep struct {
	name    string
	on      func(delta.Step) delta.Step
	looksAt func(delta.Object) string // what a step sees of an object; empty if it does not depend on it
	watched bool                      // it makes nothing of what it does not depend on
	always  func(delta.Change) bool
}

var steps = []modelStep{
	{"a", func(s delta.Step) delta.Step { return s.On(&corev1.ConfigMap{}, "data.a") }, dataAt("a", ""), true, isOther},
	{
		"b of c0", func(s delta.Step) delta.Step {
			return s.OnNamed(&corev1.ConfigMap{}, delta.Key{Name: "c0"}, "data.b").On(&corev1.Service{}, "spec")
		}, func(obj delta.Object) string {
			if service, ok := obj.(*corev1.Service); ok {
				return "spec " + service.Spec.ExternalName
			}
			return dataAt("b", "c0")(obj)
		}, true, isOther,
	},
	{"Services", func(s delta.Step) delta.Step { return s.On(&corev1.Service{}) }, func(obj delta.Object) string {
		if _, ok := obj.(*corev1.Service); ok {
			return "version " + obj.GetResourceVersion()
		}
		return ""
	}, true, isOther},
	{"resyncs", func(s delta.Step) delta.Step { return s.OnCause(delta.Resync) }, func(delta.Object) string { return "" }, true, func(c delta.Change) bool {
		return isOther(c) || c.Cause == delta.Resync
	}},
	{"always", func(s delta.Step) delta.Step { return s }, func(obj delta.Object) string { return obj.GetResourceVersion() }, false, func(delta.Change) bool { return true }},
}

func isOther(c delta.Change) bool { return c.Cause == delta.External }

func dataAt(key, name string) func(delta.Object) string {
	return func(obj delta.Object) string {
		c, ok := obj.(*corev1.ConfigMap)
		if !ok || name != "" && c.Name != name {
			return ""
		}
		return key + " " + c.Data[key]
	}
}

// runs reports whether the step has to run, for one of the changes.
func (s *modelStep) runs(since []delta.Change) bool {
	return s.name == "always" || slices.ContainsFunc(since, func(c delta.Change) bool {
		switch {
		case s.always(c):
			return true
		case c.Object() == nil:
			return false
		case c.Op == delta.Added || c.Op == delta.Deleted:
			return s.looksAt(c.Object()) != ""
		default:
			return s.looksAt(c.Old) != s.looksAt(c.New)
		}
	})
}

// makes is what the step makes of the world.
func (s *modelStep) makes(world map[thing]delta.Object) string {
	var seen []string
	for _, of := range slices.SortedFunc(maps.Keys(world), func(a, b thing) int { return strings.Compare(a.name, b.name) }) {
		if saw := s.looksAt(world[of]); saw != "" {
			seen = append(seen, of.name+" "+saw)
		}
	}
	return strings.Join(seen, ", ")
}

package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/show"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

func (p *program) status() *cobra.Command {
	var fail bool
	c := &cobra.Command{
		Use:   "status",
		Short: "Show how all kinds and controllers are doing, the worst first",
		Long: `Show how all kinds and controllers are doing, the worst first.

A kind is ill if the server refuses it or is not heard, if it was never listed, if somebody has
changed an object of it in place, or if a subscriber is slow. A loop is ill until it is over.
Requests are ill that fail or wait long for a worker, and calls that do not return. -o json has
the answers of the routes kinds, controllers, loops and now, each under its name.`,
		Args: takes(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			ill, err := p.showStatus(c)
			if err == nil && ill && fail {
				return errIll
			}
			return err
		},
	}
	c.Flags().BoolVar(&fail, "fail", false, "exit with 3 if something is ill, or the answer leaves something out")
	return c
}

func (p *program) showStatus(c *cobra.Command) (ill bool, err error) {
	kindsAnswer, kinds, err := fetch[v1.KindList](c.Context(), p, "kinds", nil)
	if err != nil {
		return false, err
	}
	controllersAnswer, controllers, err := fetch[v1.ControllerList](c.Context(), p, "controllers", nil)
	if err != nil {
		return false, err
	}
	loopsAnswer, loops, err := fetch[v1.LoopList](c.Context(), p, "loops", nil)
	if err != nil {
		return false, err
	}
	nowAnswer, now, err := fetch[v1.Now](c.Context(), p, "now", nil)
	if err != nil {
		return false, err
	}
	lacks := now.Cut != "" && (len(now.Attention) == 0 || now.Attention[len(now.Attention)-1].What != "Unsettled") // the most urgent come first
	// Kinds and loops have lines of their own, and a controller has its advice there, which makes no operator ill.
	now.Attention = slices.DeleteFunc(now.Attention, func(a v1.Attention) bool {
		return a.Controller == "" || a.What == "Loop" || a.What == "Unsettled"
	})
	ill = len(now.Attention) > 0 || lacks || slices.ContainsFunc(kinds.Items, func(k v1.Kind) bool { return illness(&k) > 0 }) ||
		slices.ContainsFunc(loops.Items, func(l v1.Loop) bool { return !l.Over }) ||
		kinds.Cut != "" || loops.Cut != "" // nobody knows how those are that are left out
	together := fmt.Appendf(nil, `{"kinds": %s, "controllers": %s, "loops": %s, "now": %s}`, kindsAnswer, controllersAnswer, loopsAnswer, nowAnswer)
	return ill, p.render(together, func() {
		p.showKinds(kinds)
		p.showControllers(controllers)
		if len(now.Attention) > 0 || lacks {
			p.out.Line("")
			p.showAttention(&now)
		}
		for i := range loops.Items {
			p.out.Line("")
			p.showLoop("", &loops.Items[i], loops.At)
		}
	})
}

// illness says how much a kind needs somebody to look at it; zero if it is fine. It goes by facts: a kind's
// words in Why are for people.
func illness(k *v1.Kind) int {
	switch {
	case !k.DisconnectedSince.IsZero(), !k.DegradedSince.IsZero(), k.State == "Degraded", k.State == "BackingOff", k.State == "Stopped":
		return 3
	case !k.Synced && k.State != "Idle": // nobody waits for an idle one
		return 2
	case k.Mutated != "", slices.ContainsFunc(k.Subscribers, func(s v1.Subscriber) bool { return s.Slow }):
		return 1
	default:
		return 0
	}
}

func (p *program) showKinds(list v1.KindList) {
	p.showCut(list.Cut)
	slices.SortStableFunc(list.Items, func(a, b v1.Kind) int {
		return cmp.Or(cmp.Compare(illness(&b), illness(&a)), cmp.Compare(a.Name, b.Name))
	})
	var rows [][]string
	for _, k := range list.Items {
		var lag uint64
		for _, s := range k.Subscribers {
			lag = max(lag, s.Lag)
		}
		rows = append(rows, []string{
			k.Name, k.State, show.Age(list.At, k.Since), fmt.Sprint(k.Objects), fmt.Sprint(k.Pending), show.Age(list.At, k.HeardAt), fmt.Sprint(lag),
		})
	}
	p.out.Table([]string{"KIND", "STATE", "FOR", "OBJECTS", "PENDING", "HEARD", "LAG"}, rows)
	if len(rows) == 0 {
		p.out.Line("The cache has no kinds.")
	}
	for i := range list.Items {
		if k := &list.Items[i]; illness(k) > 0 {
			p.showIllness(k, list.At)
		}
	}
}

// showIllness says what is wrong with a kind, since when, and why.
func (p *program) showIllness(k *v1.Kind, at time.Time) {
	p.out.Line("")
	p.out.Sentence("", k.Name+": "+k.Why)
	since := func(what string, when time.Time) {
		if !when.IsZero() {
			p.out.Sentence("  ", what+" since "+clock(at, when)+", "+show.Ago(at, when))
		}
	}
	since("disconnected", k.DisconnectedSince)
	since("refused", k.DegradedSince)
	if k.LastError != "" {
		p.out.Sentence("  ", "last error: "+k.LastError)
	}
	for _, s := range k.Subscribers {
		if !s.Slow {
			continue
		}
		text := fmt.Sprintf("%s is slow: it is %s behind, the oldest of them %s", s.Name, show.Count(s.Lag, "event"), show.Seconds(s.LagSeconds))
		if !s.InHandlerSince.IsZero() {
			text += ", and its handler has been busy for " + show.Age(at, s.InHandlerSince)
		}
		p.out.Sentence("  ", text)
	}
}

// clock is a time of day, and the day if that was another one.
func clock(at, when time.Time) string {
	at, when = at.Local(), when.Local()
	if at.Format(time.DateOnly) == when.Format(time.DateOnly) {
		return when.Format(time.TimeOnly)
	}
	return when.Format(time.DateTime)
}

func (p *program) showControllers(list v1.ControllerList) {
	p.showCut(list.Cut)
	if len(list.Items) == 0 {
		return
	}
	failures := func(c v1.Controller) uint64 { return c.Calls["error"] + c.Calls["panic"] }
	slices.SortStableFunc(list.Items, func(a, b v1.Controller) int {
		return cmp.Or(cmp.Compare(failures(b), failures(a)), cmp.Compare(a.Name, b.Name))
	})
	var rows [][]string
	for _, c := range list.Items {
		rows = append(rows, []string{
			c.Name, cmp.Or(c.Kind, show.None), sum(c.Calls), fmt.Sprint(failures(c)),
			fmt.Sprint(c.Changes), fmt.Sprint(c.OwnWrites), sum(c.Incomplete), fmt.Sprint(c.Ledger.Changes),
		})
	}
	p.out.Line("")
	p.out.Table([]string{"CONTROLLER", "KIND", "CALLS", "FAILED", "CHANGES", "OWN", "INCOMPLETE", "NOTED"}, rows)
	for _, c := range list.Items {
		for _, text := range []string{c.Ledger.Blind, c.Ledger.Advice} {
			if text != "" {
				p.out.Line("")
				p.out.Sentence("", c.Name+": "+text)
			}
		}
	}
}

func sum(counts map[string]uint64) string {
	var all uint64
	for _, n := range counts {
		all += n
	}
	return fmt.Sprint(all)
}

// showLoop says who goes round, over what, and for how long.
func (p *program) showLoop(indent string, l *v1.Loop, at time.Time) {
	end := "still going, last " + show.Ago(at, l.Last)
	if l.Over {
		end = "over since " + show.Ago(at, l.Last)
	} else if l.Deferred {
		end += ", slowed down"
	}
	p.out.Sentence(indent, fmt.Sprintf("loop: %s %s: %s over %s %s, %s in %s, %s",
		l.Controller, full(l.Namespace, l.Name), l.Pattern, l.Kind, full(l.ObjectNamespace, l.ObjectName),
		show.Count(l.Rounds, "round"), show.Age(l.Last, l.Since), end))
	if len(l.Paths) > 0 {
		p.out.Sentence(indent+"  ", "fields: "+strings.Join(l.Paths, ", "))
	}
	if len(l.Managers) > 0 {
		p.out.Sentence(indent+"  ", "written by: "+strings.Join(l.Managers, ", "))
	}
}

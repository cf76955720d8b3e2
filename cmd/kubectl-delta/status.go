package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/show"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// overview is what status shows.
type overview struct {
	kinds       v1.KindList
	controllers v1.ControllerList
	loops       v1.LoopList
}

func (p *program) status() *cobra.Command {
	var fail bool
	c := &cobra.Command{
		Use:   "status",
		Short: "Show how all kinds and controllers are doing, the worst first",
		Long: `Show how all kinds and controllers are doing, the worst first.

A kind is ill if the server refuses it or is not heard, if it was never listed, or if a
subscriber is slow. A loop is ill until it is over. -o json has the answers of the routes
kinds, controllers and loops, each under its name.`,
		Args: takes(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			ill, err := p.showStatus(c)
			if err == nil && ill && fail {
				return errIll
			}
			return err
		},
	}
	c.Flags().BoolVar(&fail, "fail", false, "exit with 3 if something is ill")
	return c
}

func (p *program) showStatus(c *cobra.Command) (ill bool, err error) {
	var all overview
	var kinds, controllers, loops []byte
	if kinds, all.kinds, err = fetch[v1.KindList](c.Context(), p, "kinds"); err != nil {
		return false, err
	}
	if controllers, all.controllers, err = fetch[v1.ControllerList](c.Context(), p, "controllers"); err != nil {
		return false, err
	}
	if loops, all.loops, err = fetch[v1.LoopList](c.Context(), p, "loops"); err != nil {
		return false, err
	}
	ill = all.ill()
	together := fmt.Appendf(nil, `{"kinds": %s, "controllers": %s, "loops": %s}`, kinds, controllers, loops)
	if shown, err := p.unchanged(together); shown || err != nil {
		return ill, err
	}
	p.showKinds(all.kinds)
	p.showControllers(all.controllers)
	p.showLoops(all.loops)
	return ill, nil
}

func (o overview) ill() bool {
	sick := func(k v1.Kind) bool { return health(&k) > fine }
	return slices.ContainsFunc(o.kinds.Items, sick) || slices.ContainsFunc(o.loops.Items, func(l v1.Loop) bool { return !l.Over })
}

// state orders kinds by how much they need somebody to look at them.
type state uint8

const (
	_ state = iota
	fine
	slow
	unready
	bad
)

var stateStyles = map[state]show.Style{fine: show.Good, slow: show.Warning, unready: show.Warning, bad: show.Bad}

// health judges a kind by its facts. Its words in Why are for people.
func health(k *v1.Kind) state {
	switch {
	case !k.DeafSince.IsZero(), !k.DegradedSince.IsZero(), k.State == "Degraded", k.State == "BackingOff", k.State == "Stopped":
		return bad
	case !k.Synced && k.State != "Idle": // nobody waits for an idle one
		return unready
	case slices.ContainsFunc(k.Subscribers, func(s v1.Subscriber) bool { return s.Slow }):
		return slow
	default:
		return fine
	}
}

func (p *program) showKinds(list v1.KindList) {
	p.showCut(list.Cut)
	slices.SortStableFunc(list.Items, func(a, b v1.Kind) int {
		return cmp.Or(cmp.Compare(health(&b), health(&a)), cmp.Compare(a.Name, b.Name))
	})
	head := []string{"KIND", "STATE", "FOR", "OBJECTS", "PENDING", "HEARD", "LAG"}
	if p.wide() {
		head = append(head, "WATCHES", "LISTS", "SKIPPED", "VERSION")
	}
	var rows [][]show.Span
	for i := range list.Items {
		rows = append(rows, p.kindRow(&list.Items[i], list.At))
	}
	p.out.Table(head, rows)
	if len(rows) == 0 {
		p.out.Line(show.In(show.Faint, "The cache has no kinds."))
	}
	for i := range list.Items {
		p.showIllness(&list.Items[i], list.At)
	}
}

func (p *program) kindRow(k *v1.Kind, at time.Time) []show.Span {
	var lag uint64
	for _, s := range k.Subscribers {
		lag = max(lag, s.Lag)
	}
	row := []show.Span{
		show.Text(k.Name), show.In(stateStyles[health(k)], k.State), show.Text(show.Age(at, k.Since)),
		show.Text(fmt.Sprint(k.Objects)), show.Text(fmt.Sprint(k.Pending)), show.Text(show.Age(at, k.HeardAt)), show.Text(fmt.Sprint(lag)),
	}
	if p.wide() {
		var lists uint64
		for _, n := range k.Lists {
			lists += n
		}
		row = append(row, show.Text(fmt.Sprint(k.Watches)), show.Text(fmt.Sprint(lists)), show.Text(fmt.Sprint(k.Skipped)), show.Text(k.ResourceVersion))
	}
	return row
}

// showIllness says what is wrong with a kind, since when, and why.
func (p *program) showIllness(k *v1.Kind, at time.Time) {
	if health(k) == fine {
		return
	}
	p.out.Line()
	style := stateStyles[health(k)]
	p.out.Sentence("", show.In(style, k.Name+": "), show.Text(k.Why))
	if !k.DeafSince.IsZero() {
		p.out.Sentence("  ", show.Text("deaf since "+clock(at, k.DeafSince)+", "+show.Ago(at, k.DeafSince)))
	}
	if !k.DegradedSince.IsZero() {
		p.out.Sentence("  ", show.Text("refused since "+clock(at, k.DegradedSince)+", "+show.Ago(at, k.DegradedSince)))
	}
	if k.LastError != "" {
		p.out.Sentence("  ", show.Text("last error: "+k.LastError))
	}
	for _, s := range k.Subscribers {
		if s.Slow {
			p.out.Sentence("  ", show.Text(slowness(&s, at)))
		}
	}
}

func slowness(s *v1.Subscriber, at time.Time) string {
	text := fmt.Sprintf("%s is slow: it is %s behind, the oldest of them %s", s.Name, show.Count(s.Lag, "event"), show.Seconds(s.LagSeconds))
	if !s.InHandlerSince.IsZero() {
		text += ", and its handler has been busy for " + show.Age(at, s.InHandlerSince)
	}
	return text
}

// clock is a time of day, and the day if that was another one.
func clock(at, when time.Time) string {
	at, when = at.Local(), when.Local()
	if at.Format(time.DateOnly) == when.Format(time.DateOnly) {
		return when.Format(time.TimeOnly)
	}
	return when.Format(time.DateTime)
}

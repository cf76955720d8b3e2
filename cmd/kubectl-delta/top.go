package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/show"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

const (
	// mostCalls is how many of the last calls are shown, longestCause how much of why each was made, and graphWidth how many samples.
	mostCalls, longestCause, graphWidth = 10, 75, 45
)

func (p *program) top() *cobra.Command {
	var controller string
	c := &cobra.Command{
		Use:   "top",
		Short: "Show what needs attention, rates and the last calls, drawn again each second",
		Long: `Show what needs attention, how much was done in the last quarter of an hour, and the last
calls with their causes. In a terminal it is drawn again until you press q. The arrow keys choose a
line, and Enter shows why its object was reconciled. Otherwise, and with -o json or yaml, it is
shown once.`,
		Example: "  kubectl delta top --controller site",
		Args:    takes(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			query := url.Values{}
			if controller != "" {
				query.Set("controller", controller)
			}
			_, _, terminal := p.size()
			switch {
			case p.output != "":
				return showing(p, func(v1.Now) {})(c.Context(), "now", query)
			case terminal:
				return p.draw(c.Context(), query)
			default:
				return p.showTop(c.Context(), query)
			}
		},
	}
	c.Flags().StringVar(&controller, "controller", "", "only this controller")
	return c
}

// sizeOf is how large the terminal is that a file is; false if it is none.
func sizeOf(out io.Writer) (width, height int, terminal bool) {
	file, ok := out.(*os.File)
	if !ok {
		return 0, 0, false
	}
	width, height, err := term.GetSize(int(file.Fd()))
	if width <= 0 || height <= 0 { // a terminal need not say
		width, height = 80, 24
	}
	return width, height, err == nil
}

// showTop asks for all of it, and shows it.
func (p *program) showTop(ctx context.Context, query url.Values) error {
	_, now, err := fetch[v1.Now](ctx, p, "now", query)
	if err != nil {
		return err
	}
	last := url.Values{"limit": {fmt.Sprint(mostCalls)}, "controller": query["controller"]}
	_, calls, err := fetch[v1.ReconcileList](ctx, p, "reconciles", last)
	if err != nil {
		return err
	}
	p.showNow(&now)
	p.showPast(&now.Past)
	p.showLastCalls(&calls)
	return p.out.Err()
}

// showNow says which program it is, and what needs attention.
func (p *program) showNow(n *v1.Now) {
	about := []string{n.Program.Name, n.Program.Version, n.Program.Host, "running for " + show.Age(n.At, n.Program.Since)}
	if !n.Program.Leads {
		about = append(about, "not the leader, or not started yet")
	}
	p.out.Line(strings.Join(slices.DeleteFunc(about, func(s string) bool { return s == "" }), "  "))
	switch len(n.Attention) {
	case 0:
		switch {
		case n.Cut != "":
		case n.Program.Leads:
			p.out.Line("All is well.")
		default:
			p.out.Line("Nothing needs attention here. Ask the leader, too.")
		}
	case 1:
		p.out.Line("1 thing needs attention.")
	default:
		p.out.Line(fmt.Sprintf("%d things need attention.", len(n.Attention)))
	}
	p.showAttention(n)
}

func (p *program) showAttention(n *v1.Now) {
	p.showCut(n.Cut)
	for i := range n.Attention {
		a := &n.Attention[i]
		text := a.What + ": " + a.Summary
		if !a.Since.IsZero() {
			text += " (" + show.Age(n.At, a.Since) + ")"
		}
		indent, mark := p.screen.row(object{a.Kind, a.Namespace, a.Name})
		p.out.Sentence(indent, mark+text)
		if a.Error != "" {
			p.out.Sentence("    ", a.Error)
		}
	}
}

// showPast shows the samples, each sort in a line.
func (p *program) showPast(past *v1.Past) {
	if len(past.Calls) == 0 {
		return // no sample has been taken yet
	}
	p.out.Line("")
	minute := 60 / past.EverySeconds
	rate := func(n float64) string { return fmt.Sprintf("%.4g/min", n*minute) }
	var rows [][]string
	add := func(what string, values []float64, write func(float64) string) {
		if len(values) == 0 {
			return
		}
		values = values[max(0, len(values)-graphWidth):]
		rows = append(rows, []string{what, write(values[len(values)-1]), write(slices.Max(values)), sparks(values)})
	}
	add("calls", floats(past.Calls), rate)
	add("errors", floats(past.Errors), rate)
	add("changes", floats(past.Changes), rate)
	add("queued", floats(past.Queued), func(n float64) string { return fmt.Sprintf("%g", n) })
	add("change to call, p99", past.P99Seconds, func(n float64) string {
		if n == 0 {
			return show.None
		}
		return show.Seconds(n)
	})
	shown := time.Duration(min(len(past.Calls), graphWidth)) * time.Duration(past.EverySeconds*float64(time.Second))
	p.out.Table([]string{"", "NOW", "AT MOST", "THE LAST " + show.Age(past.LastAt, past.LastAt.Add(-shown))}, rows)
}

func floats[N int | uint64](all []N) (list []float64) {
	for _, n := range all {
		list = append(list, float64(n))
	}
	return list
}

// sparks draws numbers as bars.
func sparks(values []float64) string {
	bars := []rune("▁▂▃▄▅▆▇█")
	most := slices.Max(values)
	var b strings.Builder
	for _, v := range values {
		at := 0
		if most > 0 && v > 0 { // an operator may answer anything
			at = int(math.Round(v / most * float64(len(bars)-1)))
		}
		b.WriteRune(bars[at])
	}
	return b.String()
}

func (p *program) showLastCalls(list *v1.ReconcileList) {
	if len(list.Items) == 0 {
		return
	}
	p.out.Line("")
	var rows [][]string
	for i := range list.Items {
		r := &list.Items[i]
		because := show.None
		if len(r.Changes) > 0 {
			because = short(&r.Changes[0], len(r.Changes)+r.ChangesLeftOut-1)
		}
		indent, mark := p.screen.row(objectOf(r))
		rows = append(rows, []string{indent + mark + show.Age(list.At, r.Began), r.Result, r.Controller, full(r.Namespace, r.Name), show.Seconds(r.Seconds), because})
	}
	p.out.Table([]string{p.screen.indent() + "AGE", "RESULT", "CONTROLLER", "REQUEST", "TOOK", "BECAUSE OF"}, rows)
}

// short says in a few words what happened to an object, how many changes there are beside it, and the first field that changed.
func short(c *v1.Change, more int) string {
	text := strings.Join(c.Causes, ", ")
	if _, kind, _ := strings.Cut(c.Kind, " "); kind != "" { // without the version
		text += " " + kind + " " + full(c.Namespace, c.Name)
	}
	text += deed(c)
	if more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	if len(c.Edits) > 0 {
		text += ": " + brief(&c.Edits[0])
	}
	if runes := []rune(text); len(runes) > longestCause {
		text = string(runes[:longestCause-1]) + "…"
	}
	return text
}

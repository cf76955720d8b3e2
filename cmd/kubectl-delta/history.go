package main

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/show"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

func (p *program) history() *cobra.Command {
	var limit int
	c := &cobra.Command{
		Use:     "history KIND/NAME",
		Short:   "List what happened to an object, the newest first",
		Example: "  kubectl delta history deployment/web -n demo",
		Args:    takes(cobra.RangeArgs(1, 2)),
		RunE: func(c *cobra.Command, args []string) error {
			return p.deltas(c, args, deltaQuery{limit: limit, what: "deltas", text: p.showHistory})
		},
	}
	c.Flags().IntVar(&limit, "limit", 20, "how many to list at most")
	return c
}

func (p *program) diff() *cobra.Command {
	var last int
	c := &cobra.Command{
		Use:     "diff KIND/NAME",
		Short:   "Show what the last updates of an object changed",
		Example: "  kubectl delta diff deployment/web -n demo --last 3",
		Args:    takes(cobra.RangeArgs(1, 2)),
		RunE: func(c *cobra.Command, args []string) error {
			return p.deltas(c, args, deltaQuery{limit: last, what: "updates", op: []string{"Updated"}, text: p.showUpdates})
		},
	}
	c.Flags().IntVar(&last, "last", 1, "how many updates to show")
	return c
}

// deltaQuery is what to ask of the journal and how to show it.
type deltaQuery struct {
	limit int
	what  string
	op    []string // empty for all
	text  func(v1.DeltaList)
}

func (p *program) deltas(c *cobra.Command, args []string, q deltaQuery) error {
	return about(c, p, args, question[v1.DeltaList]{
		route: "deltas", more: url.Values{"limit": {strconv.Itoa(q.limit)}, "op": q.op},
		found: func(namespace string, list v1.DeltaList) bool { return within(namespace, list.Items) },
		text: func(object string, list v1.DeltaList) {
			p.showCut(list.Cut)
			if len(list.Items) > 0 {
				q.text(list)
				return
			}
			text := fmt.Sprintf("The journal has no %s of %s.", q.what, object)
			if list.Dropped > 0 {
				text += fmt.Sprintf(" It no longer has %s of that kind.", show.Count(list.Dropped, "older delta"))
			}
			p.out.Sentence("", text)
		},
	})
}

func (p *program) showHistory(list v1.DeltaList) {
	p.deltaTable(list.Items, list.At)
	if list.Dropped > 0 {
		p.out.Line(show.Count(list.Dropped, "older delta") + " of this kind are no longer in the journal")
	}
}

// deltaTable lists deltas of one object.
func (p *program) deltaTable(deltas []v1.Delta, at time.Time) {
	var rows [][]string
	for i := range deltas {
		d := &deltas[i]
		changed := cmp.Or(paths(d), show.None) + remarks(d)
		rows = append(rows, []string{show.Age(at, d.Seen), d.Op, cmp.Or(d.Manager, show.None), d.ResourceVersion, changed})
	}
	p.out.Table([]string{"AGE", "OP", "BY", "VERSION", "CHANGED"}, rows)
}

// showUpdates shows the newest update last, next to the prompt. Its edits look like a unified diff.
func (p *program) showUpdates(list v1.DeltaList) {
	for i, d := range slices.Backward(list.Items) {
		if i < len(list.Items)-1 {
			p.out.Line("")
		}
		by := ""
		if d.Manager != "" {
			by = " by " + d.Manager
		}
		p.out.Line(fmt.Sprintf("%s %s  %s%s %s  version %s", d.Kind, full(d.Namespace, d.Name), d.Op, by, show.Ago(list.At, d.Seen), d.ResourceVersion))
		for j := range d.Edits {
			e := &d.Edits[j]
			if e.Hidden && e.Op != "added" && e.Op != "removed" {
				p.out.Line("  " + brief(e))
				continue
			}
			if e.Op != "added" {
				p.out.Line("- " + e.Path + ": " + value(e.Before, e))
			}
			if e.Op != "removed" {
				p.out.Line("+ " + e.Path + ": " + value(e.After, e))
			}
		}
		switch {
		case d.EditsLeftOut:
			p.out.Line("  more edits are not shown")
		case len(d.Edits) == 0:
			p.out.Line("  no field that is kept has changed")
		}
	}
}

// value is an edit's value, unless the inspector hides it.
func value(text string, e *v1.Edit) string {
	if e.Hidden {
		return "(hidden)"
	}
	return cmp.Or(text, "null")
}

// brief writes an edit in a line, as the README does.
func brief(e *v1.Edit) string {
	switch e.Op {
	case "added":
		return e.Path + ": added " + value(e.After, e)
	case "removed":
		return e.Path + ": removed " + value(e.Before, e)
	default:
		return e.Path + ": " + value(e.Before, e) + " → " + value(e.After, e)
	}
}

// showEdits writes an edit a line, and says if there are more.
func (p *program) showEdits(indent string, d *v1.Delta) {
	for i := range d.Edits {
		p.out.Line(indent + brief(&d.Edits[i]))
	}
	if d.EditsLeftOut {
		p.out.Line(indent + "more edits are not shown")
	}
}

// paths names what changed, in few words.
func paths(d *v1.Delta) string {
	var all []string
	for i := range d.Edits {
		all = append(all, d.Edits[i].Path)
	}
	if d.EditsLeftOut {
		all = append(all, "…")
	}
	return strings.Join(all, ", ")
}

// remarks says what is unusual about a delta.
func remarks(d *v1.Delta) string {
	var all []string
	if d.Missed {
		all = append(all, "no event told of it")
	}
	if d.Relisted {
		all = append(all, "a list showed it")
	}
	if len(all) == 0 {
		return ""
	}
	return " (" + strings.Join(all, ", ") + ")"
}

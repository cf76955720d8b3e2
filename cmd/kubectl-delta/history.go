package main

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/ask"
	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/show"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

func (p *program) history() *cobra.Command {
	var limit int
	c := &cobra.Command{
		Use:     "history KIND/NAME",
		Short:   "List what happened to an object, the newest first",
		Example: "  kubectl delta history deployment/web -n demo",
		Args:    takes(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			return p.deltas(c, args, deltaQuery{limit: limit, text: p.showHistory})
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
		Args:    takes(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			return p.deltas(c, args, deltaQuery{limit: last, op: "Updated", text: p.showUpdates})
		},
	}
	c.Flags().IntVar(&last, "last", 1, "how many updates to show")
	return c
}

// deltaQuery is what to ask of the journal and how to show it.
type deltaQuery struct {
	limit int
	op    string
	text  func(v1.DeltaList)
}

func (p *program) deltas(c *cobra.Command, args []string, q deltaQuery) error {
	if q.limit < 1 {
		return misuse("%d deltas are too few to show; use 1 or more", q.limit)
	}
	of, err := p.object(c, args)
	if err != nil {
		return err
	}
	of.more = url.Values{"limit": {strconv.Itoa(q.limit)}}
	if q.op != "" {
		of.more.Set("op", q.op)
	}
	answer, err := p.search(c.Context(), "deltas", of, some)
	if err != nil {
		return err
	}
	return render(p, answer, func(list v1.DeltaList) {
		p.showCut(list.Cut)
		if len(list.Items) == 0 {
			p.out.Sentence("", show.Text(nothing(of, q.op, list.Dropped)))
			return
		}
		q.text(list)
	})
}

// some reports whether there is a delta.
func some(namespace string, answer []byte) bool {
	list, err := ask.Into[v1.DeltaList](answer)
	return err != nil || within(namespace, list.Items)
}

func nothing(of object, op string, dropped uint64) string {
	what := "deltas"
	if op != "" {
		what = "updates"
	}
	text := fmt.Sprintf("The journal has no %s of %s %s.", what, of.kind, full(of.namespaces[0], of.name))
	if dropped > 0 {
		text += fmt.Sprintf(" It no longer has %s of that kind.", show.Count(dropped, "older delta"))
	}
	return text
}

func (p *program) showHistory(list v1.DeltaList) {
	p.deltaTable(list.Items, list.At)
	if list.Dropped > 0 {
		p.out.Line(show.In(show.Faint, show.Count(list.Dropped, "older delta")+" of this kind are no longer in the journal"))
	}
}

// deltaTable lists deltas of one object.
func (p *program) deltaTable(deltas []v1.Delta, at time.Time) {
	head := []string{"AGE", "OP", "BY", "VERSION", "CHANGED"}
	if p.wide() {
		head = []string{"ID", "SEEN", "OP", "BY", "VERSION", "CHANGED"}
	}
	var rows [][]show.Span
	for i := range deltas {
		d := &deltas[i]
		changed := cmp.Or(paths(editedBy(d)), show.None)
		if remark := remarks(d); remark != "" {
			changed += " (" + remark + ")"
		}
		row := []show.Span{
			show.Text(show.Age(at, d.Seen)), show.In(opStyle(d.Op), d.Op), show.Text(cmp.Or(d.Manager, show.None)),
			show.Text(d.ResourceVersion), show.Text(changed),
		}
		if p.wide() {
			row = append([]show.Span{show.Text(strconv.FormatUint(d.ID, 10)), show.Text(d.Seen.Local().Format(time.RFC3339Nano))}, row[1:]...)
		}
		rows = append(rows, row)
	}
	p.out.Table(head, rows)
}

func opStyle(op string) show.Style {
	switch op {
	case "Added":
		return show.Good
	case "Deleted":
		return show.Bad
	case "Updated":
		return show.Plain
	default:
		return show.Faint
	}
}

// showUpdates shows the newest update last, next to the prompt.
func (p *program) showUpdates(list v1.DeltaList) {
	for i, d := range slices.Backward(list.Items) {
		if i < len(list.Items)-1 {
			p.out.Line()
		}
		text := fmt.Sprintf("  %s %s", d.Op, show.Ago(list.At, d.Seen))
		if d.Manager != "" {
			text = fmt.Sprintf("  %s by %s %s", d.Op, d.Manager, show.Ago(list.At, d.Seen))
		}
		p.out.Line(show.In(show.Bold, d.Kind+" "+full(d.Namespace, d.Name)), show.Text(text), show.In(show.Faint, "  version "+d.ResourceVersion))
		p.showDiff(editedBy(&d))
		if len(d.Edits) == 0 && !d.EditsLeftOut {
			p.out.Line(show.In(show.Faint, "  no field that is kept has changed"))
		}
	}
}

package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/show"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

func (p *program) showControllers(list v1.ControllerList) {
	p.showCut(list.Cut)
	if len(list.Items) == 0 {
		return
	}
	slices.SortStableFunc(list.Items, func(a, b v1.Controller) int {
		return cmp.Or(cmp.Compare(failures(&b), failures(&a)), cmp.Compare(a.Name, b.Name))
	})
	head := []string{"CONTROLLER", "KIND", "CALLS", "FAILED", "CHANGES", "OWN", "INCOMPLETE", "NOTED"}
	if p.wide() {
		head = append(head, "HELD BACK", "CAUSES")
	}
	var rows [][]show.Span
	for i := range list.Items {
		rows = append(rows, p.controllerRow(&list.Items[i]))
	}
	p.out.Line()
	p.out.Table(head, rows)
	for i := range list.Items {
		for _, text := range []string{list.Items[i].Ledger.Blind, list.Items[i].Ledger.Advice} {
			if text != "" {
				p.out.Line()
				p.out.Sentence("", show.In(show.Warning, list.Items[i].Name+": "), show.Text(text))
			}
		}
	}
}

func failures(c *v1.Controller) uint64 { return c.Calls["error"] + c.Calls["panic"] }

func (p *program) controllerRow(c *v1.Controller) []show.Span {
	failed := show.Text(fmt.Sprint(failures(c)))
	if failures(c) > 0 {
		failed.Style = show.Warning
	}
	row := []show.Span{
		show.Text(c.Name), show.Text(cmp.Or(c.Kind, show.None)), show.Text(fmt.Sprint(sum(c.Calls))), failed,
		show.Text(fmt.Sprint(c.Changes)), show.Text(fmt.Sprint(c.OwnWrites)), show.Text(fmt.Sprint(sum(c.Incomplete))),
		show.Text(fmt.Sprint(c.Ledger.Changes)),
	}
	if p.wide() {
		row = append(row, show.Text(fmt.Sprint(c.HeldBack)), show.Text(counts(c.Causes)))
	}
	return row
}

func sum(counts map[string]uint64) (all uint64) {
	for _, n := range counts {
		all += n
	}
	return all
}

// counts writes the largest first.
func counts(of map[string]uint64) string {
	var names []string
	for name := range of {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(of[b], of[a]), cmp.Compare(a, b)) })
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, of[name])
	}
	return cmp.Or(strings.Join(names, ", "), show.None)
}

func (p *program) showLoops(list v1.LoopList) {
	for i := range list.Items {
		p.out.Line()
		p.showLoop("", &list.Items[i], list.At)
	}
}

// showLoop says who goes round, over what, and for how long.
func (p *program) showLoop(indent string, l *v1.Loop, at time.Time) {
	style, end := show.Bad, "still going, last "+show.Ago(at, l.Last)
	if l.Over {
		style, end = show.Faint, "over since "+show.Ago(at, l.Last)
	}
	if l.Deferred && !l.Over {
		end += ", slowed down"
	}
	p.out.Sentence(indent, show.In(style, "loop: "), show.Text(fmt.Sprintf("%s %s: %s over %s %s, %s in %s, %s",
		l.Controller, full(l.Namespace, l.Name), l.Pattern, l.Kind, full(l.ObjectNamespace, l.ObjectName),
		show.Count(l.Rounds, "round"), show.Age(l.Last, l.Since), end)))
	if len(l.Paths) > 0 {
		p.out.Sentence(indent+"  ", show.Text("fields: "+strings.Join(l.Paths, ", ")))
	}
	if len(l.Managers) > 0 {
		p.out.Sentence(indent+"  ", show.Text("written by: "+strings.Join(l.Managers, ", ")))
	}
}

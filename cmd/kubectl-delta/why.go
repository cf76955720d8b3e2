package main

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/ask"
	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/show"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

func (p *program) why() *cobra.Command {
	return &cobra.Command{
		Use:   "why KIND/NAME",
		Short: "Say why an object was reconciled last, and what it waits for",
		Example: `  kubectl delta why deployment/web -n demo
  kubectl delta why 'apps/v1 Deployment/web' -n demo -o yaml`,
		Args: takes(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			of, err := p.object(c, args)
			if err != nil {
				return err
			}
			answer, err := p.search(c.Context(), "why", of, known)
			if err != nil {
				return err
			}
			return render(p, answer, func(w v1.Why) { p.showWhy(&w) })
		},
	}
}

// known reports whether an inspector knows anything about an object.
func known(namespace string, answer []byte) bool {
	w, err := ask.Into[v1.Why](answer)
	if err != nil || w.Cached || len(w.Told) > 0 || within(namespace, w.Deltas) {
		return true
	}
	for i := range w.Requests {
		if r := &w.Requests[i]; r.Item != nil || r.Last != nil || r.Loop != nil {
			return true
		}
	}
	return false
}

func (p *program) showWhy(w *v1.Why) {
	p.showCut(w.Cut)
	where := "not in the cache"
	if w.Cached {
		where = "in the cache at version " + w.ResourceVersion
	}
	p.out.Line(show.In(show.Bold, w.Kind+" "+full(w.Namespace, w.Name)), show.In(show.Faint, "  "+where))
	if len(w.Requests) == 0 {
		p.out.Line(show.Text("No controller reconciles this kind."))
	}
	for i := range w.Requests {
		p.out.Line()
		p.showRequest(&w.Requests[i], w.At)
	}
	p.showTold(w)
	if len(w.Deltas) > 0 {
		p.out.Line()
		p.out.Line(show.In(show.Bold, "What happened to it"))
		p.deltaTable(w.Deltas, w.At)
	}
}

// showRequest says how one controller is doing with the object, the sentence first.
func (p *program) showRequest(r *v1.Request, at time.Time) {
	p.out.Sentence("", show.In(show.Bold, r.Controller+": "), show.Text(cmp.Or(r.Summary, r.State)))
	if r.Last != nil {
		p.showCall(r.Last, at)
	}
	if r.Item != nil {
		p.out.Sentence("  ", show.In(show.Faint, "in the queue: "), show.Text(placeInQueue(r.Item, at)))
		p.showChanges("    ", r.Item.Why, r.Item.WhyLeftOut, at)
	}
	if !r.LastSuccess.IsZero() {
		p.out.Line(show.In(show.Faint, "  last success: "), show.Text(show.Ago(at, r.LastSuccess)))
	}
	if r.Loop != nil {
		p.showLoop("  ", r.Loop, at)
	}
}

// showCall says how a call went and what it was for.
func (p *program) showCall(r *v1.Reconcile, at time.Time) {
	p.out.Sentence("  ", show.In(show.Faint, "last call: "), show.In(resultStyle(r.Result), r.Result), show.Text(callDetails(r, at)))
	if r.Error != "" {
		p.out.Sentence("    ", show.In(show.Bad, "error: "), show.Text(r.Error))
	}
	p.showChanges("    ", r.Changes, r.ChangesLeftOut, at)
	if r.Incomplete != "" {
		p.out.Sentence("    ", show.In(show.Warning, "there may be more: "), show.Text(r.Incomplete))
	}
	for _, s := range r.Steps {
		text := s.Name + " " + s.Result
		if s.Seconds > 0 {
			text += " in " + show.Seconds(s.Seconds)
		}
		if s.Because != "" {
			text += " because " + s.Because
		}
		if s.Error != "" {
			text += ": " + s.Error
		}
		p.out.Sentence("    ", show.In(show.Faint, "step "), show.Text(text))
	}
}

func callDetails(r *v1.Reconcile, at time.Time) string {
	text := fmt.Sprintf(", %s, in %s", show.Ago(at, r.Began), show.Seconds(r.Seconds))
	if r.Attempt > 1 {
		text += fmt.Sprintf(", attempt %d", r.Attempt)
	}
	if r.RequeueAfterSeconds > 0 {
		text += ", and wants to be called again after " + show.Seconds(r.RequeueAfterSeconds)
	}
	return text
}

func resultStyle(result string) show.Style {
	switch result {
	case "success", "requeue":
		return show.Good
	default:
		return show.Bad
	}
}

func (p *program) showChanges(indent string, changes []v1.Change, leftOut int, at time.Time) {
	for i := range changes {
		c := &changes[i]
		p.out.Sentence(indent, show.Text(headline(c, at)))
		p.showEdits(indent+"  ", edited{c.Edits, c.EditsLeftOut})
	}
	if leftOut > 0 {
		p.out.Sentence(indent, show.In(show.Faint, fmt.Sprintf("and %d more", leftOut)))
	}
}

// placeInQueue says where a request is in a queue.
func placeInQueue(i *v1.Item, at time.Time) string {
	text := i.State
	switch i.State {
	case "working":
		text += " for " + show.Age(at, i.Working)
	case "delayed":
		text += ", due " + show.Until(at, i.Due)
	default:
		text += " for " + show.Age(at, i.Queued)
	}
	if i.Attempts > 0 {
		text += ", " + show.Count(i.Attempts, "failed call") + " before"
	}
	if i.Priority != 0 {
		text += fmt.Sprintf(", priority %d", i.Priority)
	}
	return text
}

// showTold lists the calls that had a change of the object.
func (p *program) showTold(w *v1.Why) {
	if len(w.Told) == 0 {
		return
	}
	var rows [][]show.Span
	for i := range w.Told {
		r := &w.Told[i]
		var causes []string
		for j := range r.Changes {
			causes = append(causes, r.Changes[j].Causes...)
		}
		rows = append(rows, []show.Span{
			show.Text(show.Age(w.At, r.Began)), show.Text(r.Controller), show.Text(full(r.Namespace, r.Name)),
			show.In(resultStyle(r.Result), r.Result), show.Text(show.Seconds(r.Seconds)), show.Text(strings.Join(unique(causes), ", ")),
		})
	}
	p.out.Line()
	p.out.Line(show.In(show.Bold, "Who was told of its changes"))
	p.out.Table([]string{"AGE", "CONTROLLER", "REQUEST", "RESULT", "TOOK", "CAUSES"}, rows)
}

// unique keeps the first of each.
func unique(words []string) []string {
	seen := map[string]bool{}
	var all []string
	for _, word := range words {
		if !seen[word] {
			seen[word] = true
			all = append(all, word)
		}
	}
	return all
}

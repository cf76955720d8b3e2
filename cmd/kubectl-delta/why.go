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

func (p *program) why() *cobra.Command {
	return &cobra.Command{
		Use:   "why KIND/NAME",
		Short: "Say why an object was reconciled last, and what it waits for",
		Example: `  kubectl delta why deployment/web -n demo
  kubectl delta why 'apps/v1 Deployment/web' -n demo -o yaml`,
		Args: takes(cobra.RangeArgs(1, 2)),
		RunE: func(c *cobra.Command, args []string) error {
			return about(c, p, args, question[v1.Why]{route: "why", found: known, text: p.showWhy})
		},
	}
}

// known reports whether an inspector knows anything about an object.
func known(namespace string, w v1.Why) bool {
	return w.Cached || len(w.Told) > 0 || within(namespace, w.Deltas) ||
		slices.ContainsFunc(w.Requests, func(r v1.Request) bool { return r.Item != nil || r.Last != nil || r.Loop != nil })
}

func (p *program) showWhy(_ string, w v1.Why) {
	p.showCut(w.Cut)
	where := "not in the cache"
	if w.Cached {
		where = "in the cache at version " + w.ResourceVersion
	}
	p.out.Line(w.Kind + " " + full(w.Namespace, w.Name) + "  " + where)
	if len(w.Requests) == 0 {
		p.out.Line("No controller reconciles this kind.")
	}
	for i := range w.Requests {
		p.out.Line("")
		p.showRequest(&w.Requests[i], w.At)
	}
	if len(w.Told) > 0 {
		p.out.Line("")
		p.out.Line("Calls for it, or told of its changes")
		p.showTold(w.Told, w.At)
	}
	if len(w.Deltas) > 0 {
		p.out.Line("")
		p.out.Line("What happened to it")
		p.deltaTable(w.Deltas, w.At)
	}
}

// showRequest says how one controller is doing with the object, the sentence first.
func (p *program) showRequest(r *v1.Request, at time.Time) {
	p.out.Sentence("", r.Controller+": "+cmp.Or(r.Summary, r.State))
	if r.Last != nil {
		p.showCall(r.Last, at)
	}
	if r.Item != nil {
		p.out.Sentence("  ", "in the queue: "+placeInQueue(r.Item, at))
		p.showChanges(r.Item.Why, r.Item.WhyLeftOut, at)
	}
	if !r.LastSuccess.IsZero() {
		p.out.Line("  last success: " + show.Ago(at, r.LastSuccess))
	}
	if r.Loop != nil {
		p.showLoop("  ", r.Loop, at)
	}
}

// showCall says how a call went and what it was for.
func (p *program) showCall(r *v1.Reconcile, at time.Time) {
	text := fmt.Sprintf("last call: %s, %s, in %s", r.Result, show.Ago(at, r.Began), show.Seconds(r.Seconds))
	if r.Attempt > 1 {
		text += fmt.Sprintf(", attempt %d", r.Attempt)
	}
	if r.RequeueAfterSeconds > 0 {
		text += ", and wants to be called again after " + show.Seconds(r.RequeueAfterSeconds)
	}
	p.out.Sentence("  ", text)
	if r.Error != "" {
		p.out.Sentence("    ", "error: "+r.Error)
	}
	p.showChanges(r.Changes, r.ChangesLeftOut, at)
	if r.Incomplete != "" {
		p.out.Sentence("    ", "there may be more: "+r.Incomplete)
	}
	for _, s := range r.Steps {
		text := "step " + s.Name + " " + s.Result
		if s.Seconds > 0 {
			text += " in " + show.Seconds(s.Seconds)
		}
		if s.Because != "" {
			text += " because " + s.Because
		}
		if s.Error != "" {
			text += ": " + s.Error
		}
		p.out.Sentence("    ", text)
	}
}

func (p *program) showChanges(changes []v1.Change, leftOut int, at time.Time) {
	for i := range changes {
		p.out.Sentence("    ", headline(&changes[i], at))
		p.showEdits("      ", &v1.Delta{Edits: changes[i].Edits, EditsLeftOut: changes[i].EditsLeftOut})
	}
	if leftOut > 0 {
		p.out.Sentence("    ", fmt.Sprintf("and %d more", leftOut))
	}
}

// deed says how an object changed and which field manager wrote it.
func deed(c *v1.Change) (text string) {
	if c.Op != "" {
		text += " " + c.Op
	}
	if c.Manager != "" {
		text += " by " + c.Manager
	}
	return text
}

// headline says in a line what happened to an object.
func headline(c *v1.Change, at time.Time) string {
	text := cause(c) + deed(c)
	if c.Own {
		text += " (the operator's own write)"
	}
	if c.Again {
		text += " (told again)"
	}
	if c.Deltas > 1 {
		text += fmt.Sprintf(", %s in %s", show.Count(c.Deltas, "delta"), show.Age(c.Last, c.First))
	}
	if !c.Last.IsZero() {
		text += ", " + show.Ago(at, c.Last)
	}
	return text
}

// placeInQueue says where a request is in a queue.
func placeInQueue(i *v1.Item, at time.Time) string {
	text := place(i, at)
	if i.State == "delayed" {
		text = "delayed, " + text
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
func (p *program) showTold(told []v1.Reconcile, at time.Time) {
	var rows [][]string
	for _, r := range told {
		var causes []string
		for i := range r.Changes {
			for _, cause := range r.Changes[i].Causes {
				if !slices.Contains(causes, cause) {
					causes = append(causes, cause)
				}
			}
		}
		rows = append(rows, []string{
			show.Age(at, r.Began), r.Controller, full(r.Namespace, r.Name), r.Result, show.Seconds(r.Seconds), strings.Join(causes, ", "),
		})
	}
	p.out.Table([]string{"AGE", "CONTROLLER", "REQUEST", "RESULT", "TOOK", "CAUSES"}, rows)
}

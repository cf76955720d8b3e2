package main

import (
	"cmp"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/show"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

func (p *program) queue() *cobra.Command {
	var limit int
	c := &cobra.Command{
		Use:   "queue [CONTROLLER]",
		Short: "Show what waits in the queues, and why",
		Args:  takes(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			return showing(p, p.showQueues)(c.Context(), "queues", url.Values{"limit": {strconv.Itoa(limit)}, "controller": args})
		},
	}
	c.Flags().IntVar(&limit, "limit", 20, "how many requests of a queue to list at most")
	return c
}

func (p *program) showQueues(list v1.QueueList) {
	p.showCut(list.Cut)
	if len(list.Items) == 0 {
		p.out.Line("There are no queues.")
	}
	for i := range list.Items {
		if i > 0 {
			p.out.Line("")
		}
		p.showQueue(&list.Items[i], list.At)
	}
}

func (p *program) showQueue(q *v1.Queue, at time.Time) {
	if !q.Known {
		p.out.Sentence("", q.Controller+": its queue is not delta-runtime's, so nothing can be said of it")
		return
	}
	oldest := ""
	if q.Ready > 0 {
		oldest = " (the oldest for " + show.Seconds(q.OldestSeconds) + ")"
	}
	p.out.Sentence("", fmt.Sprintf("%s: %d working, %d ready%s, %d delayed; %d added and %d finished so far",
		q.Controller, q.Working, q.Ready, oldest, q.Delayed, q.Added, q.Finished))
	if len(q.Items) == 0 {
		return
	}
	var rows [][]string
	for i := range q.Items {
		rows = append(rows, itemRow(&q.Items[i], at))
	}
	p.out.Table([]string{"REQUEST", "STATE", "FAILED", "WAITS WITH"}, rows)
	if q.More {
		p.out.Line("there are more; use --limit to see them")
	}
}

func itemRow(i *v1.Item, at time.Time) []string {
	var why []string
	for j := range i.Why {
		why = append(why, cause(&i.Why[j]))
	}
	if i.WhyLeftOut > 0 {
		why = append(why, fmt.Sprintf("and %d more", i.WhyLeftOut))
	}
	return []string{full(i.Namespace, i.Name), place(i, at), strconv.Itoa(i.Attempts), cmp.Or(strings.Join(why, "; "), show.None)}
}

// place says since when a request is where it is in its queue, or until when.
func place(i *v1.Item, at time.Time) string {
	switch i.State {
	case "working":
		return "working for " + show.Age(at, i.Working)
	case "delayed":
		return "due " + show.Until(at, i.Due)
	default:
		return i.State + " for " + show.Age(at, i.Queued)
	}
}

// cause names the causes of a change, and its object if it has one.
func cause(c *v1.Change) string {
	text := strings.Join(c.Causes, ", ")
	if c.Kind != "" {
		text += " " + c.Kind + " " + full(c.Namespace, c.Name)
	}
	return text
}

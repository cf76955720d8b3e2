package main

import (
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
		Args:  takes(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if limit < 1 {
				return misuse("--limit is 1 or more, not %d", limit)
			}
			query := url.Values{"limit": {strconv.Itoa(limit)}}
			if len(args) > 0 {
				query.Set("controller", args[0])
			}
			answer, err := p.get(c.Context(), "queues", query)
			if err != nil {
				return err
			}
			return render(p, answer, p.showQueues)
		},
	}
	c.Flags().IntVar(&limit, "limit", 20, "how many requests of a queue to list at most")
	return c
}

func (p *program) showQueues(list v1.QueueList) {
	p.showCut(list.Cut)
	if len(list.Items) == 0 {
		p.out.Line(show.Text("There are no queues."))
	}
	for i := range list.Items {
		if i > 0 {
			p.out.Line()
		}
		p.showQueue(&list.Items[i], list.At)
	}
}

func (p *program) showQueue(q *v1.Queue, at time.Time) {
	if !q.Known {
		p.out.Sentence("", show.In(show.Bold, q.Controller+": "), show.Text("its queue is not delta-runtime's, so nothing can be said of it"))
		return
	}
	oldest := ""
	if q.Ready > 0 {
		oldest = " (the oldest for " + show.Seconds(q.OldestSeconds) + ")"
	}
	p.out.Sentence("", show.In(show.Bold, q.Controller+": "), show.Text(fmt.Sprintf("%d working, %d ready%s, %d delayed; %d added and %d finished so far",
		q.Working, q.Ready, oldest, q.Delayed, q.Added, q.Finished)))
	if len(q.Items) == 0 {
		return
	}
	head := []string{"REQUEST", "STATE", "FAILED", "WAITS WITH"}
	if p.wide() {
		head = []string{"REQUEST", "STATE", "FAILED", "PRIORITY", "WAITS WITH"}
	}
	var rows [][]show.Span
	for i := range q.Items {
		rows = append(rows, p.itemRow(&q.Items[i], at))
	}
	p.out.Table(head, rows)
	if q.More {
		p.out.Line(show.In(show.Faint, "there are more; use --limit to see them"))
	}
}

func (p *program) itemRow(i *v1.Item, at time.Time) []show.Span {
	state := show.Text(i.State)
	switch i.State {
	case "working":
		state = show.In(show.Good, "working for "+show.Age(at, i.Working))
	case "ready":
		state.Text = "ready for " + show.Age(at, i.Queued)
	case "delayed":
		state = show.In(show.Faint, "due "+show.Until(at, i.Due))
	}
	row := []show.Span{show.Text(full(i.Namespace, i.Name)), state, show.Text(strconv.Itoa(i.Attempts))}
	if p.wide() {
		row = append(row, show.Text(strconv.Itoa(i.Priority)))
	}
	var why []string
	for j := range i.Why {
		c := &i.Why[j]
		text := strings.Join(c.Causes, ", ")
		if c.Kind != "" {
			text += " " + c.Kind + " " + full(c.Namespace, c.Name)
		}
		why = append(why, text)
	}
	if i.WhyLeftOut > 0 {
		why = append(why, fmt.Sprintf("and %d more", i.WhyLeftOut))
	}
	if len(why) == 0 {
		why = []string{show.None}
	}
	return append(row, show.Text(strings.Join(why, "; ")))
}

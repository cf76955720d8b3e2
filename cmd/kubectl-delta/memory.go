package main

import (
	"fmt"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/show"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

func (p *program) memory() *cobra.Command {
	return &cobra.Command{
		Use:     "memory KIND",
		Short:   "Estimate what a kind costs in memory, and which of its fields cost most",
		Example: "  kubectl delta memory deployment",
		Args:    takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			kind, err := p.kind(c.Context(), args[0])
			if err != nil {
				return err
			}
			answer, err := p.get(c.Context(), "memory", url.Values{"kind": {kind}})
			if err != nil {
				return err
			}
			return render(p, answer, p.showMemory)
		},
	}
}

func (p *program) showMemory(m v1.Memory) {
	text := fmt.Sprintf("about %s for %s, estimated from %d of them", show.Bytes(m.Bytes), show.Count(m.Objects, "object"), m.Sampled)
	if m.Truncated {
		text += ", as there was no time for more"
	}
	p.out.Sentence("", show.In(show.Bold, m.Kind+": "), show.Text(text))
	if len(m.Paths) == 0 {
		return
	}
	var rows [][]show.Span
	for _, path := range m.Paths {
		share := show.None
		if m.Bytes > 0 {
			share = fmt.Sprintf("%.0f%%", 100*float64(path.Bytes)/float64(m.Bytes))
		}
		rows = append(rows, []show.Span{show.Text(show.Bytes(path.Bytes)), show.Text(share), show.Text(path.Path)})
	}
	p.out.Line()
	p.out.Table([]string{"SIZE", "SHARE", "FIELD"}, rows)
}

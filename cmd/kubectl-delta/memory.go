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
		Args:    takes(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			return showing(p, p.showMemory)(c.Context(), "memory", url.Values{"kind": args})
		},
	}
}

func (p *program) showMemory(m v1.Memory) {
	text := fmt.Sprintf("%s: about %s for %s, estimated from %d of them", m.Kind, show.Bytes(m.Bytes), show.Count(m.Objects, "object"), m.Sampled)
	if m.Truncated {
		text += ", as there was no time for more"
	}
	p.out.Sentence("", text)
	if len(m.Paths) == 0 {
		return
	}
	var rows [][]string
	for _, path := range m.Paths {
		share := show.None
		if m.Bytes > 0 {
			share = fmt.Sprintf("%.0f%%", 100*float64(path.Bytes)/float64(m.Bytes))
		}
		rows = append(rows, []string{show.Bytes(path.Bytes), share, path.Path})
	}
	p.out.Line("")
	p.out.Table([]string{"SIZE", "SHARE", "FIELD"}, rows)
}

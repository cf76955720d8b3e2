package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/reach"
	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/show"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

func (p *program) policies() *cobra.Command {
	c := &cobra.Command{
		Use:   "policies [KIND]",
		Short: "Show when objects are shown again although they have not changed, or change that",
		Long: `Show when objects are shown again although they have not changed. -o json has the answer of
the route kinds. This is a part of that.`,
		Args: takes(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			answer, list, err := fetch[v1.KindList](c.Context(), p, "kinds", nil)
			if err != nil {
				return err
			}
			only := ""
			if len(args) > 0 {
				if only, err = pick(list.Items, args[0]); err != nil {
					return err
				}
			}
			return p.render(answer, func() { p.showPolicies(list, only) })
		},
	}
	c.AddCommand(p.setPolicy())
	return c
}

func (p *program) setPolicy() *cobra.Command {
	var action v1.PolicyAction
	c := &cobra.Command{
		Use:     "set KIND --period PERIOD",
		Short:   "Change when objects of a kind are shown again",
		Example: "  kubectl delta policies set deployment --period 10m --rate 50",
		Args:    takes(1, 1),
		PreRunE: func(*cobra.Command, []string) error {
			switch period, err := time.ParseDuration(action.Period); {
			case action.Period == "":
				return reach.Misuse("--period is missing: it is a duration such as 10m, or never")
			case action.Period != "never" && (err != nil || period <= 0):
				return reach.Misuse("--period is a duration such as 10m, or never, not %q", action.Period)
			case action.Rate < 0:
				return reach.Misuse("--rate is a number of objects a second, not %v", action.Rate)
			}
			return nil
		},
		RunE: p.onKind(func(ctx context.Context, kind string) error {
			action.Kind = kind
			return p.post(ctx, "actions/policy", action)
		}),
	}
	c.Flags().StringVar(&action.Period, "period", "", "how long until each object was shown once: a duration such as 10m, or never")
	c.Flags().Float64Var(&action.Rate, "rate", 0, "how many objects to show a second at most (no limit)")
	return c
}

// showPolicies shows the policies of all kinds, or of one. There is a row for each that has a policy of its own.
func (p *program) showPolicies(list v1.KindList, only string) {
	p.showCut(list.Cut)
	var rows [][]string
	for _, k := range list.Items {
		if only != "" && k.Name != only {
			continue
		}
		next, left, before := show.None, show.Count(k.Resync.Left, "object"), len(rows)
		if !k.Resync.Next.IsZero() {
			next = show.Until(list.At, k.Resync.Next)
		}
		if k.Resync.Waiting > 0 {
			left += fmt.Sprintf(", %d waiting", k.Resync.Waiting)
		}
		for _, s := range k.Scopes {
			if s.Policy != "" {
				rows = append(rows, []string{k.Name, next, left, cmp.Or(s.Namespace, "all namespaces"), s.Policy})
			}
		}
		for _, s := range k.Subscribers {
			if len(s.Policies) > 0 {
				rows = append(rows, []string{k.Name, next, left, s.Name, strings.Join(s.Policies, "; ")})
			}
		}
		if len(rows) == before {
			rows = append(rows, []string{k.Name, next, left, show.None, "no resyncs"})
		}
	}
	p.out.Table([]string{"KIND", "NEXT", "LEFT", "FOR", "POLICY"}, rows)
}

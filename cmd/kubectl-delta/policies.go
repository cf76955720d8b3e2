package main

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

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
			answer, list, err := fetch[v1.KindList](c.Context(), p, "kinds")
			if err != nil {
				return err
			}
			only := ""
			if len(args) > 0 {
				if only, err = pick(list.Items, args[0]); err != nil {
					return err
				}
			}
			return render(p, answer, func(list v1.KindList) { p.showPolicies(list, only) })
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
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkPeriod(action.Period); err != nil {
				return err
			}
			if action.Rate < 0 {
				return misuse("--rate is a number of objects a second, not %v", action.Rate)
			}
			kind, err := p.kind(c.Context(), args[0])
			if err != nil {
				return err
			}
			action.Kind = kind
			return p.post(c.Context(), "actions/policy", action)
		},
	}
	c.Flags().StringVar(&action.Period, "period", "", "how long until each object was shown once: a duration such as 10m, or never")
	c.Flags().Float64Var(&action.Rate, "rate", 0, "how many objects to show a second at most (no limit)")
	return c
}

func checkPeriod(text string) error {
	if text == "never" {
		return nil
	}
	if text == "" {
		return misuse("--period is missing: it is a duration such as 10m, or never")
	}
	if d, err := time.ParseDuration(text); err != nil || d <= 0 {
		return misuse("--period is a duration such as 10m, or never, not %q", text)
	}
	return nil
}

// showPolicies shows the policies of all kinds, or of one.
func (p *program) showPolicies(list v1.KindList, only string) {
	p.showCut(list.Cut)
	var rows [][]show.Span
	for i := range list.Items {
		if k := &list.Items[i]; only == "" || k.Name == only {
			rows = append(rows, policyRows(k, list.At)...)
		}
	}
	p.out.Table([]string{"KIND", "NEXT", "LEFT", "FOR", "POLICY"}, rows)
}

// policyRows has a row for each that has a policy of its own.
func policyRows(k *v1.Kind, at time.Time) [][]show.Span {
	next := show.None
	if !k.Resync.Next.IsZero() {
		next = show.Until(at, k.Resync.Next)
	}
	left := show.Count(k.Resync.Left, "object")
	if k.Resync.Waiting > 0 {
		left += fmt.Sprintf(", %d waiting", k.Resync.Waiting)
	}
	var rows [][]show.Span
	add := func(who, policy string) {
		rows = append(rows, []show.Span{show.Text(k.Name), show.Text(next), show.Text(left), show.Text(who), show.Text(policy)})
	}
	for _, s := range k.Scopes {
		if s.Policy != "" {
			add(cmp.Or(s.Namespace, "all namespaces"), s.Policy)
		}
	}
	for _, s := range k.Subscribers {
		if len(s.Policies) > 0 {
			add(s.Name, strings.Join(s.Policies, "; "))
		}
	}
	if len(rows) == 0 {
		add(show.None, "no resyncs")
	}
	return rows
}

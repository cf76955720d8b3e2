package main

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/reach"
	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/show"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

func (p *program) resync() *cobra.Command {
	var selector string
	c := &cobra.Command{
		Use:     "resync KIND",
		Short:   "Show the objects of a kind to those who take part in resyncs, although they have not changed",
		Example: "  kubectl delta resync deployment -l app=web",
		Args:    takes(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			return p.post(c.Context(), "actions/resync", v1.ResyncAction{Kind: args[0], Selector: selector})
		},
	}
	c.Flags().StringVarP(&selector, "selector", "l", "", "label selector of the objects (all)")
	return c
}

func (p *program) relist() *cobra.Command {
	return &cobra.Command{
		Use:     "relist KIND",
		Short:   "List a kind again",
		Example: "  kubectl delta relist secret",
		Args:    takes(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			return p.post(c.Context(), "actions/relist", v1.RelistAction{Kind: args[0]})
		},
	}
}

// request is an action on a request of a controller.
func (p *program) request(action, short string) *cobra.Command {
	return &cobra.Command{
		Use:     action + " CONTROLLER NAMESPACE/NAME",
		Short:   short,
		Example: "  kubectl delta " + action + " site demo/blog",
		Args:    takes(cobra.ExactArgs(2)),
		RunE: func(c *cobra.Command, args []string) error {
			namespace, name, err := parseRequest(args[1])
			if err != nil {
				return err
			}
			return p.post(c.Context(), "actions/"+action, v1.RequestAction{Controller: args[0], Namespace: namespace, Name: name})
		},
	}
}

// parseRequest reads NAMESPACE/NAME, or NAME for a request without a namespace.
func parseRequest(text string) (namespace, name string, err error) {
	namespace, name, ok := strings.Cut(text, "/")
	if !ok {
		namespace, name = "", text
	}
	if name == "" || ok && namespace == "" || strings.Contains(name, "/") {
		return "", "", reach.Misuse("%q is not NAMESPACE/NAME, such as demo/web", text)
	}
	return namespace, name, nil
}

func (p *program) policies() *cobra.Command {
	c := &cobra.Command{
		Use:   "policies [KIND]",
		Short: "Show when objects are shown again although they have not changed, or change that",
		Long: `Show when objects are shown again although they have not changed. -o json has the answer of
the route kinds. This is a part of that.`,
		Args: takes(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			return showing(p, p.showPolicies)(c.Context(), "kinds", url.Values{"kind": args})
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
		Args:    takes(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			action.Kind = args[0]
			return p.post(c.Context(), "actions/policy", action)
		},
	}
	c.Flags().StringVar(&action.Period, "period", "", "how long until each object was shown once: a duration such as 10m, or never")
	c.Flags().Float64Var(&action.Rate, "rate", 0, "how many objects to show a second at most (no limit)")
	return c
}

// showPolicies shows the policies of kinds. There is a row for each that has a policy of its own.
func (p *program) showPolicies(list v1.KindList) {
	p.showCut(list.Cut)
	var rows [][]string
	for _, k := range list.Items {
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

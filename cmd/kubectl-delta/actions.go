package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/reach"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

func (p *program) resync() *cobra.Command {
	var selector string
	c := &cobra.Command{
		Use:     "resync KIND",
		Short:   "Show the objects of a kind to those who take part in resyncs, although they have not changed",
		Example: "  kubectl delta resync deployment -l app=web",
		Args:    takes(1, 1),
		PreRunE: func(*cobra.Command, []string) error {
			if _, err := labels.Parse(selector); err != nil {
				return reach.Misuse("-l %q is not a label selector: %v", selector, err)
			}
			return nil
		},
		RunE: p.onKind(func(ctx context.Context, kind string) error {
			return p.post(ctx, "actions/resync", v1.ResyncAction{Kind: kind, Selector: selector})
		}),
	}
	c.Flags().StringVarP(&selector, "selector", "l", "", "label selector of the objects (all)")
	return c
}

func (p *program) relist() *cobra.Command {
	return &cobra.Command{
		Use:     "relist KIND",
		Short:   "List a kind again",
		Example: "  kubectl delta relist secret",
		Args:    takes(1, 1),
		RunE: p.onKind(func(ctx context.Context, kind string) error {
			return p.post(ctx, "actions/relist", v1.RelistAction{Kind: kind})
		}),
	}
}

func (p *program) forget() *cobra.Command {
	return p.request("forget", "Forget a request's failures, so that it is tried at once")
}

func (p *program) cancel() *cobra.Command {
	return p.request("cancel", "Cancel a request's delayed add")
}

// request is an action on a request of a controller.
func (p *program) request(action, short string) *cobra.Command {
	return &cobra.Command{
		Use:     action + " CONTROLLER NAMESPACE/NAME",
		Short:   short,
		Example: "  kubectl delta " + action + " site demo/blog",
		Args:    takes(2, 2),
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

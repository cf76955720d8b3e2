package main

import (
	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"

	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

func (p *program) resync() *cobra.Command {
	var selector string
	c := &cobra.Command{
		Use:     "resync KIND",
		Short:   "Show the objects of a kind to those who take part in resyncs, although they have not changed",
		Example: "  kubectl delta resync deployment -l app=web",
		Args:    takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if _, err := labels.Parse(selector); err != nil {
				return misuse("-l %q is not a label selector: %v", selector, err)
			}
			kind, err := p.kind(c.Context(), args[0])
			if err != nil {
				return err
			}
			return p.post(c.Context(), "actions/resync", v1.ResyncAction{Kind: kind, Selector: selector})
		},
	}
	// The flag --selector is the operator's Pods' already.
	c.Flags().StringVarP(&selector, "labels", "l", "", "label selector of the objects (all)")
	return c
}

func (p *program) relist() *cobra.Command {
	return &cobra.Command{
		Use:     "relist KIND",
		Short:   "List a kind again",
		Example: "  kubectl delta relist secret",
		Args:    takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			kind, err := p.kind(c.Context(), args[0])
			if err != nil {
				return err
			}
			return p.post(c.Context(), "actions/relist", v1.RelistAction{Kind: kind})
		},
	}
}

func (p *program) forget() *cobra.Command {
	return &cobra.Command{
		Use:     "forget CONTROLLER NAMESPACE/NAME",
		Short:   "Forget a request's failures, so that it is tried at once",
		Example: "  kubectl delta forget site demo/blog",
		Args:    takes(2, 2),
		RunE:    func(c *cobra.Command, args []string) error { return p.request(c, "actions/forget", args) },
	}
}

func (p *program) cancel() *cobra.Command {
	return &cobra.Command{
		Use:     "cancel CONTROLLER NAMESPACE/NAME",
		Short:   "Cancel a request's delayed add",
		Example: "  kubectl delta cancel site demo/blog",
		Args:    takes(2, 2),
		RunE:    func(c *cobra.Command, args []string) error { return p.request(c, "actions/cancel", args) },
	}
}

// request asks for an action on a request of a controller.
func (p *program) request(c *cobra.Command, route string, args []string) error {
	namespace, name, err := parseRequest(args[1])
	if err != nil {
		return err
	}
	return p.post(c.Context(), route, v1.RequestAction{Controller: args[0], Namespace: namespace, Name: name})
}

package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/page"
)

func (p *program) page() *cobra.Command {
	return &cobra.Command{
		Use:   "page",
		Short: "Open a local address that leads a browser to the inspector",
		Long: `Open a local address that leads a browser to the inspector, until you interrupt it. It adds
the token, if you have named the operator's namespace, so it refuses requests of other sites and of those who do not know the address
that it prints.`,
		Args: takes(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := p.reachable(c.Context()); err != nil {
				return err
			}
			server, err := page.Listen(c.Context(), p.keeper.Connection)
			if err != nil {
				return err
			}
			p.out.Line(server.URL())
			p.errOut.Line("# open that in a browser; Ctrl-C ends it")
			return server.Serve(c.Context())
		},
	}
}

// reachable keeps what can't be reached, or gets no token and asks for one, from getting an
// address.
func (p *program) reachable(ctx context.Context) error {
	c, err := p.keeper.Connection(ctx)
	if err != nil || c.Refrain == nil {
		return err
	}
	if _, err = c.Get(ctx, "kinds", nil); errors.Is(err, c.Refrain) {
		return err
	}
	return nil
}

package main

import (
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
			// What can't be reached, or gets no token and asks for one, gets no address.
			to, err := p.keeper.Connection(c.Context())
			if err != nil {
				return err
			}
			if to.Refrain != nil {
				if _, err := to.Get(c.Context(), "kinds", nil); errors.Is(err, to.Refrain) {
					return err
				}
			}
			server, err := page.Listen(c.Context(), p.keeper)
			if err != nil {
				return err
			}
			p.out.Line(server.URL())
			p.errOut.Line("# open that in a browser; Ctrl-C ends it")
			return server.Serve(c.Context())
		},
	}
}

package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/ask"
	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/reach"
	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/show"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// firstPause is how long watch waits before it connects again for the first time.
const firstPause = time.Second

// program is one run of the plugin.
type program struct {
	out, errOut *show.Printer
	rawOut      io.Writer // where help and completions go
	options     reach.Options
	keeper      *reach.Keeper
	args        []string // the command line
	// output is json, yaml, wide or empty.
	output string
	pause  time.Duration
}

// root returns the commands.
func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "kubectl-delta",
		Short: "Ask an operator why it does what it does",
		Long: `Ask an operator built with delta-runtime what its cache holds, what changed, why it
reconciles, and what waits. It reaches the operator's inspector through a port-forward.

The operator must serve its inspector. Its Pods are found by the label
` + reach.Label + `, or by ` + reach.KubebuilderLabel + `,
which kubebuilder gives them, so that there is nothing to label. The leader among them is found
by its Lease. An operator that runs as a process, outside of a cluster, is reached with --url.

Everybody who may create a Pod can give it such a label. So only an operator whose namespace you
name, with --operator-namespace, --lease or ` + reach.NamespaceVariable + `,
gets a token: by default the one that your kubeconfig has. With --as-service-account, which is
better, it gets a token that lasts ten minutes, of an account that may do less than you.

The exit code is 0 if all is fine, 1 after an error, 2 if the command line is wrong, and 3
if status --fail finds something ill.`,
		Annotations:       map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl delta"},
		SilenceErrors:     true,
		SilenceUsage:      true,
		Args:              unknown,
		RunE:              func(c *cobra.Command, _ []string) error { return c.Help() },
		PersistentPreRunE: func(*cobra.Command, []string) error { return p.checkOutput() },
	}
	root.SuggestionsMinimumDistance = 2
	root.SetOut(p.rawOut)
	root.SetErr(p.rawOut)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return misuse("%v; see %s --help", err, c.CommandPath())
	})
	p.options.AddTo(root.PersistentFlags())
	root.PersistentFlags().StringVarP(&p.output, "output", "o", "", "json or yaml for the inspector's answer as it came, wide for more columns")
	root.AddCommand(p.status(), p.why(), p.watch(), p.history(), p.diff(), p.queue(), p.memory())
	root.AddCommand(p.resync(), p.relist(), p.policies(), p.forget(), p.cancel(), p.page(), p.version())
	return root
}

// unknown refuses a word that is not a command.
func unknown(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	text := fmt.Sprintf("%s has no command %q", c.CommandPath(), args[0])
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		text += fmt.Sprintf(": did you mean %q?", near[0])
	}
	return misuse("%s; see %s --help", text, c.CommandPath())
}

func (p *program) checkOutput() error {
	switch p.output {
	case "", "wide", "json", "yaml":
		return nil
	default:
		return misuse("--output is json, yaml or wide, not %q", p.output)
	}
}

func (p *program) wide() bool { return p.output == "wide" }

// get asks for a route.
func (p *program) get(ctx context.Context, route string, query url.Values) ([]byte, error) {
	c, err := p.keeper.Connection(ctx)
	if err != nil {
		return nil, err
	}
	return c.Get(ctx, route, query)
}

// post asks for an action and shows what was done.
func (p *program) post(ctx context.Context, route string, body any) error {
	c, err := p.keeper.Connection(ctx)
	if err != nil {
		return err
	}
	answer, err := c.Post(ctx, route, body)
	if err != nil {
		return err
	}
	return render(p, answer, func(done v1.Done) { p.out.Line(show.Text(done.Message)) })
}

// render shows an answer: as it came, or as text.
func render[T any](p *program, answer []byte, text func(T)) error {
	if shown, err := p.unchanged(answer); shown || err != nil {
		return err
	}
	into, err := ask.Into[T](answer)
	if err != nil {
		return err
	}
	text(into)
	return nil
}

// showCut says what an answer leaves out, if anything.
func (p *program) showCut(cut string) {
	if cut != "" {
		p.out.Sentence("", show.In(show.Warning, cut))
	}
}

// unchanged shows an answer as it came, if the user wants that.
func (p *program) unchanged(answer []byte) (shown bool, err error) {
	var encoded show.Escaped
	switch p.output {
	case "json":
		encoded, err = show.JSON(answer)
	case "yaml":
		encoded, err = show.YAML(answer)
	default:
		return false, nil
	}
	if err == nil {
		p.out.Raw(encoded)
	}
	return true, err
}

// fetch asks for a route and reads the answer.
func fetch[T any](ctx context.Context, p *program, route string) (answer []byte, into T, err error) {
	answer, err = p.get(ctx, route, nil)
	if err != nil {
		return nil, into, err
	}
	into, err = ask.Into[T](answer)
	return answer, into, err
}

package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/url"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/ask"
	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/reach"
	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/show"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// program is one run of the plugin.
type program struct {
	out, errOut *show.Printer
	rawOut      io.Writer // where help and completions go
	options     reach.Options
	keeper      *reach.Keeper
	// output is json, yaml or empty.
	output string
	// pause is how long watch waits before it connects again for the first time, and top before it draws again.
	pause time.Duration
	// size is how large the terminal is that out is; false if it is none.
	size func() (width, height int, terminal bool)
	// keyboard passes on each key as it is typed, until restore is called.
	keyboard func() (typed io.Reader, restore func())
	// screen is what is drawn in a terminal; nil if a command writes once.
	screen *screen
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
name, with --operator-namespace or ` + reach.NamespaceVariable + `,
gets a token: by default the one that your kubeconfig has. With --as-service-account, which is
better, it gets a token that lasts ten minutes, of an account that may do less than you.

The exit code is 0 if all is fine, 1 after an error, 2 if the command line is wrong, and 3
if status --fail finds something ill.`,
		Annotations:       map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl delta"},
		Version:           "(unknown)",
		SilenceErrors:     true,
		SilenceUsage:      true,
		Args:              unknown,
		RunE:              func(c *cobra.Command, _ []string) error { return c.Help() },
		PersistentPreRunE: func(*cobra.Command, []string) error { return p.checkOutput() },
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		root.Version = cmp.Or(info.Main.Version, root.Version)
	}
	root.SuggestionsMinimumDistance = 2
	root.SetOut(p.rawOut)
	root.SetErr(p.rawOut)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return reach.Misuse("%v; see %s --help", err, c.CommandPath())
	})
	p.options.AddTo(root.PersistentFlags())
	root.PersistentFlags().StringVarP(&p.output, "output", "o", "", "json or yaml for the inspector's answer as it came")
	root.AddCommand(p.top(), p.status(), p.why(), p.watch(), p.history(), p.diff(), p.queue(), p.memory())
	root.AddCommand(p.resync(), p.relist(), p.policies(), p.page())
	root.AddCommand(p.request("forget", "Forget a request's failures, so that it is tried at once"), p.request("cancel", "Cancel a request's delayed add"))
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
	return reach.Misuse("%s; see %s --help", text, c.CommandPath())
}

// takes has a check of the number of arguments say how the command is used.
func takes(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		err := check(c, args)
		if err == nil {
			return nil
		}
		example, _, _ := strings.Cut(strings.TrimSpace(c.Example), "\n")
		return reach.Misuse("%s: %v; use it as %q, such as %q; see %s --help", c.CommandPath(), err, c.UseLine(), cmp.Or(example, c.CommandPath()), c.CommandPath())
	}
}

func (p *program) checkOutput() error {
	if p.output != "" && p.output != "json" && p.output != "yaml" {
		return reach.Misuse("--output is json or yaml, not %q", p.output)
	}
	return nil
}

// fetch asks for a route and reads the answer.
func fetch[T any](ctx context.Context, p *program, route string, query url.Values) (answer []byte, into T, err error) {
	c, err := p.keeper.Connection(ctx)
	if err != nil {
		return nil, into, err
	}
	if answer, err = c.Get(ctx, route, query); err != nil {
		return nil, into, err
	}
	into, err = ask.Into[T](answer)
	return answer, into, err
}

// showing returns a function that asks for a route, and shows the answer.
func showing[T any](p *program, text func(T)) func(ctx context.Context, route string, query url.Values) error {
	return func(ctx context.Context, route string, query url.Values) error {
		answer, into, err := fetch[T](ctx, p, route, query)
		if err != nil {
			return err
		}
		return p.render(answer, func() { text(into) })
	}
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
	done, err := ask.Into[v1.Done](answer)
	if err != nil {
		return err
	}
	return p.render(answer, func() { p.out.Line(done.Message) })
}

// render shows an answer: as it came, or as text.
func (p *program) render(answer []byte, text func()) error {
	encode := show.JSON
	switch p.output {
	case "":
		text()
		return nil
	case "yaml":
		encode = show.YAML
	}
	encoded, err := encode(answer)
	if err == nil {
		p.out.Raw(encoded)
	}
	return err
}

// showCut says what an answer leaves out, if anything.
func (p *program) showCut(cut string) {
	if cut != "" {
		p.out.Sentence("", cut)
	}
}

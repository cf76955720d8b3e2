package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"slices"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	var err error
	if len(os.Args) == 1 && isPipe(os.Stdin) { // kubebuilder passes no arguments
		err = servePlugin(ctx, os.Stdin, os.Stdout, os.Stderr)
	} else {
		err = run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	}
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "delta-adopt:", err)
		os.Exit(1)
	}
}

// isPipe reports whether a program writes what the file has.
func isPipe(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeNamedPipe != 0
}

// choices are what the flags say.
type choices struct {
	undo      bool
	only      bool // only show the change
	inspector string
}

func (c *choices) bind(flags *flag.FlagSet) {
	flags.BoolVar(&c.undo, "undo", false, "take out what was put in")
	flags.StringVar(&c.inspector, "inspector", "127.0.0.1:8082", "where the manager serves the inspector: a loopback `address`, or metrics for beside the metrics, or none")
}

// check finds a place that the inspector can't be served at.
func (c *choices) check() error {
	host, port, err := net.SplitHostPort(c.inspector)
	loopback := err == nil && port != "" && slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, host)
	if !loopback && c.inspector != "metrics" && c.inspector != "none" {
		return fmt.Errorf("-inspector is %q, and not metrics, none, or localhost, 127.0.0.1 or [::1] with a port", c.inspector)
	}
	return nil
}

func run(ctx context.Context, args []string, out, errOut io.Writer) error {
	var c choices
	flags := flag.NewFlagSet("delta-adopt", flag.ContinueOnError)
	flags.SetOutput(errOut)
	c.bind(flags)
	flags.BoolVar(&c.only, "n", false, "only print the change")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 1 {
		return fmt.Errorf("one project at a time, and not %q", flags.Args())
	}
	return c.do(ctx, cmp.Or(flags.Arg(0), "."), out)
}

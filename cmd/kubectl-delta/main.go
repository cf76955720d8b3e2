package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/reach"
	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/show"
)

// How the program ends.
const (
	exitFine  = 0
	exitError = 1
	exitUsage = 2
	exitIll   = 3
)

// errIll is what status --fail returns if something is ill.
var errIll = errors.New("something is ill")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// After the first signal a second one ends the process at once: a plugin of the kubeconfig
	// may take its time to notice.
	context.AfterFunc(ctx, stop)
	code := run(ctx, os.Args[1:], newProgram(os.Stdout, os.Stderr, os.Getenv))
	stop()
	os.Exit(code)
}

// newProgram returns a program that has done nothing yet.
func newProgram(out, errOut io.Writer, getenv func(string) string) *program {
	p := &program{
		out: show.New(out), rawOut: out, errOut: show.New(errOut), pause: time.Second,
		size:    func() (width, height int, terminal bool) { return sizeOf(out) },
		options: reach.Options{OperatorNamespace: getenv(reach.NamespaceVariable)}, keyboard: keyboard,
	}
	p.keeper = reach.Keep(func(ctx context.Context) (*reach.Connection, error) { return reach.Open(ctx, &p.options) })
	return p
}

// run runs one command and returns the exit code.
func run(ctx context.Context, args []string, p *program) int {
	command := p.root()
	command.SetArgs(args)
	err := command.ExecuteContext(ctx)
	p.keeper.Drop()
	if err == nil {
		err = p.out.Err()
	}
	switch {
	case err == nil:
		return exitFine
	case errors.Is(err, errIll):
		return exitIll
	}
	if ambiguous, ok := errors.AsType[*reach.AmbiguousError](err); ok {
		p.errOut.Line("error: find the operator: " + ambiguous.Why + "; use one of")
		for _, choice := range ambiguous.Choices {
			p.errOut.Line("    " + choice)
		}
		return exitError
	}
	p.errOut.Line("error: " + err.Error())
	if _, ok := errors.AsType[reach.UsageError](err); ok {
		return exitUsage
	}
	return exitError
}

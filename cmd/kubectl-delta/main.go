package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

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
		out: show.New(out, show.LookOf(out, getenv)), rawOut: out,
		errOut:  show.New(errOut, show.LookOf(errOut, getenv)),
		pause:   firstPause,
		options: reach.Options{UsualOperatorNamespace: getenv(reach.NamespaceVariable)},
	}
	p.keeper = reach.Keep(func(ctx context.Context) (*reach.Connection, error) { return reach.Open(ctx, &p.options) })
	return p
}

// run runs one command and returns the exit code.
func run(ctx context.Context, args []string, p *program) int {
	p.args = args
	command := p.root()
	command.SetArgs(args)
	err := command.ExecuteContext(ctx)
	p.keeper.Drop()
	if err == nil {
		err = p.out.Err()
	}
	return p.report(err)
}

// report says why a command failed, and returns the exit code for it.
func (p *program) report(err error) int {
	var ambiguous *reach.AmbiguousError
	var stranger *reach.StrangerError
	switch {
	case err == nil:
		return exitFine
	case errors.Is(err, errIll):
		return exitIll
	case errors.As(err, &ambiguous):
		p.complain("find the operator: " + ambiguous.Why + "; use one of")
		for _, choice := range ambiguous.Choices {
			p.errOut.Line(show.Text("    " + choice))
		}
		return exitError
	case errors.As(err, &stranger):
		p.complain(err.Error())
		p.errOut.Line(show.Text("    " + again(p.args, stranger.Flags())))
		return exitError
	case errors.Is(err, errUsage), errors.Is(err, reach.ErrUsage):
		p.complain(err.Error())
		return exitUsage
	default:
		p.complain(err.Error())
		return exitError
	}
}

func (p *program) complain(text string) {
	p.errOut.Line(show.In(show.Bad, "error: "), show.Text(text))
}

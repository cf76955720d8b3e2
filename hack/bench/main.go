package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
)

// settings is what the command line says.
type settings struct {
	root   string
	rows   *regexp.Regexp // matches the numbers of the rows to measure
	rounds int
	size   int
	report string
}

var errNotMeasured = errors.New("not every row was measured")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func parseSettings(args []string, problems io.Writer) (settings, error) {
	s := settings{rows: regexp.MustCompile("")}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(problems)
	flags.StringVar(&s.root, "root", ".", "`folder` of the module")
	flags.Func("rows", "a `pattern` of the numbers of the rows to measure, as in 1|[4-9] (default all)", func(text string) (err error) {
		s.rows, err = regexp.Compile("^(?:" + text + ")$")
		return err
	})
	flags.IntVar(&s.rounds, "rounds", 5, "how often each side of a noisy row runs; a steady one takes half as many")
	flags.IntVar(&s.size, "size", 100_000, "how many `objects` the rows work on")
	flags.StringVar(&s.report, "report", "", "`file` to write a page of ratios to, as Markdown; the run goes into a folder beside it")
	if err := flags.Parse(args); err != nil {
		return s, fmt.Errorf("read the command line: %w", err)
	}
	switch {
	case flags.NArg() > 0:
		return s, fmt.Errorf("read the command line: unexpected %q", flags.Arg(0))
	case s.rounds < 1:
		return s, fmt.Errorf("read the command line: %d rounds", s.rounds)
	case s.size < 1:
		return s, fmt.Errorf("read the command line: %d objects", s.size)
	}
	return s, nil
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	s, err := parseSettings(args, progress)
	if err != nil {
		return err
	}
	bench, err := prepare(ctx, s, progress)
	if err != nil {
		return err
	}
	defer bench.close()
	report, err := bench.measure(ctx)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(out, report.page()); err != nil {
		return fmt.Errorf("print the page: %w", err)
	}
	if s.report != "" {
		if err := report.writePage(s.report); err != nil {
			return err
		}
	}
	if report.missing() {
		return errNotMeasured
	}
	return nil
}

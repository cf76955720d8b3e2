package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
)

// settings is what the command line says.
type settings struct {
	root   string
	rows   rowSet
	rounds int
	size   int
	from   string
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
	s := settings{rows: rowSet{}}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(problems)
	flags.StringVar(&s.root, "root", ".", "`folder` of the module")
	flags.Func("rows", "`numbers` of the rows to measure, as in 1,4-9 (default all)", s.rows.set)
	flags.IntVar(&s.rounds, "rounds", 5, "how often each side of a noisy row runs; a steady one takes half as many")
	flags.IntVar(&s.size, "size", 100_000, "how many `objects` the rows work on")
	flags.StringVar(&s.report, "report", "", "`file` to write a page of ratios to, as Markdown; the run goes into a folder beside it")
	flags.StringVar(&s.from, "from", "", "`file` with the run that a page keeps, to make the page of instead of measuring")
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
	case s.from != "" && s.report == "":
		return s, errors.New("read the command line: -from makes a page, and -report does not say where")
	}
	return s, nil
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	s, err := parseSettings(args, progress)
	if err != nil {
		return err
	}
	if s.from != "" {
		return again(s.from, s.report)
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
	if err := publish(report, s, out); err != nil {
		return err
	}
	if report.missing() {
		return errNotMeasured
	}
	return nil
}

// publish writes the report to wherever the settings want it.
func publish(r *report, s settings, out io.Writer) error {
	if _, err := io.WriteString(out, r.page()); err != nil {
		return fmt.Errorf("print the page: %w", err)
	}
	if s.report != "" {
		return r.writePage(s.report)
	}
	return nil
}

// A rowSet is a set of row numbers. The empty set stands for all rows.
type rowSet map[int]bool

// has reports whether the row is wanted.
func (s rowSet) has(row int) bool { return len(s) == 0 || s[row] }

// set adds numbers and ranges of numbers, separated by commas.
func (s rowSet) set(text string) error {
	for part := range strings.SplitSeq(text, ",") {
		first, last, ranged := strings.Cut(part, "-")
		if !ranged {
			last = first
		}
		from, errFrom := strconv.Atoi(first)
		to, errTo := strconv.Atoi(last)
		if errFrom != nil || errTo != nil || from < 1 || to < from || to > lastRow {
			return fmt.Errorf("%q is neither a row nor a range of rows up to %d", part, lastRow)
		}
		for row := from; row <= to; row++ {
			s[row] = true
		}
	}
	return nil
}

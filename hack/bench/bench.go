package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// sizeVariable tells benchmarks how many objects to work on.
const sizeVariable = "BENCH_SIZE"

// patience is how long one process may take. A side that hangs must not stop the other rows,
// and -test.timeout does not cover benchmarks. It is several times what the longest one takes on a
// machine of its own.
const patience = 5 * time.Minute

// lastWords is how long a process gets to print where it hangs, after it was told to quit.
const lastWords = 5 * time.Second

// A bench has a test binary for each package with rows.
type bench struct {
	settings settings
	wanted   map[int]bool // the rows whose benchmarks run; never empty
	progress io.Writer
	scratch  string
	patience time.Duration
	binaries map[string]string // by folder
	cpu      string            // the processor's name, known when the first process has run
}

// prepare builds what the settings need. Close it afterwards.
func prepare(ctx context.Context, s settings, progress io.Writer) (*bench, error) {
	scratch, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, fmt.Errorf("make a folder for test binaries: %w", err)
	}
	b := &bench{settings: s, wanted: map[int]bool{}, progress: progress, scratch: scratch, binaries: make(map[string]string), patience: patience}
	for _, p := range promises {
		if s.rows.MatchString(strconv.Itoa(p.row)) {
			b.wanted[p.row] = true
		}
	}
	if len(b.wanted) == 0 {
		b.close()
		return nil, fmt.Errorf("find rows to measure: no number matches %s", s.rows)
	}
	if err := b.build(ctx); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *bench) close() { _ = os.RemoveAll(b.scratch) }

func (b *bench) build(ctx context.Context) error {
	for _, p := range promises {
		if !b.wanted[p.row] || b.binaries[p.folder] != "" {
			continue
		}
		binary, err := filepath.Abs(filepath.Join(b.scratch, strconv.Itoa(len(b.binaries))+".test"))
		if err != nil {
			return fmt.Errorf("name a test binary: %w", err)
		}
		fmt.Fprintf(b.progress, "build %s\n", p.folder)
		command := exec.CommandContext(ctx, "go", "test", "-c", "-o", binary, ".")
		command.Dir = filepath.Join(b.settings.root, p.folder)
		if said, err := command.CombinedOutput(); err != nil {
			return fmt.Errorf("build the benchmarks in %s: %w\n%s", p.folder, err, said)
		}
		b.binaries[p.folder] = binary
	}
	return nil
}

// measure runs every round of every row. A row that goes wrong is reported as not
// measured, with the reason, and the others go on.
func (b *bench) measure(ctx context.Context) (*report, error) {
	here := system{OS: runtime.GOOS, Arch: runtime.GOARCH, Cores: runtime.NumCPU(), Go: runtime.Version()}
	r := &report{Machine: here, Commit: commit(ctx, b.settings.root), Size: b.settings.size}
	for i := range promises {
		p := &promises[i]
		if !b.wanted[p.row] || b.wanted[p.beside] {
			continue
		}
		if err := b.rounds(ctx, p, p.rounds(b.settings.rounds), r); err != nil {
			return nil, err
		}
	}
	r.Machine.CPU = b.cpu
	slices.SortStableFunc(r.Pairs, func(a, b *pair) int { return cmp.Compare(a.Row, b.Row) }) // those of one row as they were measured
	r.judge(b.wanted)
	return r, nil
}

// rounds runs each side of a row so many times, and ends early with the first failure. The
// sides change their order from round to round. So neither always runs on a machine that the
// other has just used.
func (b *bench) rounds(ctx context.Context, p *promise, most int, into *report) error {
	for turn := range 2 * most {
		side := sides[(turn+turn/2)%2]
		fmt.Fprintf(b.progress, "row %d, round %d of %d: %s\n", p.row, turn/2+1, most, side)
		results, err := b.side(ctx, p, side)
		if ctx.Err() != nil {
			return fmt.Errorf("measure row %d: %w", p.row, context.Cause(ctx))
		}
		if err != nil {
			fmt.Fprintf(b.progress, "row %d: %v\n", p.row, err)
			into.Failures = append(into.Failures, failure{Row: p.row, Reason: err.Error()})
			return nil
		}
		into.Pairs = add(into.Pairs, results)
	}
	return nil
}

// side runs one side of a row, in one process with the rows beside it.
func (b *bench) side(ctx context.Context, p *promise, side string) ([]result, error) {
	var rows []string
	for _, row := range slices.Sorted(maps.Keys(b.wanted)) {
		if p.together(row) {
			rows = append(rows, fmt.Sprintf("%02d", row))
		}
	}
	output, err := b.execute(ctx, p.folder, append(only(rows, side), "-test.run=^$", "-test.benchtime="+p.time()))
	if err != nil {
		return nil, fmt.Errorf("run %s of the rows %s in %s: %w", side, strings.Join(rows, ", "), p.folder, err)
	}
	var results []result
	results, b.cpu, err = parse(bytes.NewReader(output))
	return results, err
}

// maxVariant is the largest number of elements that a variant can have.
const maxVariant = 4

// only returns the arguments of a test binary that run one side of the rows. A side is
// the last element of a name, at any depth. So the other side is skipped at each depth.
func only(rows []string, side string) []string {
	other := ours
	if side == ours {
		other = incumbent
	}
	var skipped []string
	for depth := range maxVariant + 1 {
		skipped = append(skipped, strings.Repeat("/", depth+1)+"^"+other+"$")
	}
	return []string{"-test.bench=^BenchmarkRow(" + strings.Join(rows, "|") + ")_", "-test.skip=" + strings.Join(skipped, "|")}
}

// execute runs a test binary and returns what it printed.
func (b *bench) execute(ctx context.Context, folder string, arguments []string) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, b.patience, fmt.Errorf("it took longer than %v", b.patience))
	defer cancel()
	command := exec.CommandContext(ctx, b.binaries[folder], arguments...)
	command.Dir = filepath.Join(b.settings.root, folder)
	command.Env = append(os.Environ(), sizeVariable+"="+strconv.Itoa(b.settings.size))
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGQUIT) } // the runtime prints all stacks
	command.WaitDelay = lastWords
	var problems bytes.Buffer
	command.Stderr = &problems
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s%s", cmp.Or(context.Cause(ctx), err), tail(output), head(problems.Bytes()))
	}
	return output, nil
}

// quoted is how much of an output is shown when something goes wrong.
const quoted = 4000

// tail is the end of an output, where a failing benchmark says why.
func tail(output []byte) []byte { return output[max(0, len(output)-quoted):] }

// head is the beginning of an output, where a crash says why.
func head(output []byte) []byte { return output[:min(len(output), quoted)] }

// commit is the checked-out commit, marked if files were changed since. It is
// empty where there is no git.
func commit(ctx context.Context, root string) string {
	git := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty", "--exclude=*", "--abbrev=40")
	git.Dir = root
	hash, _ := git.Output()
	return strings.TrimSpace(string(hash))
}

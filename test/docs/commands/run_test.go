package commands

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

const root = "../../.."

// runner runs commands in this repository.
type runner struct {
	t    *testing.T
	done map[string]string // the output of each command
}

// perform runs a command of a document, or checks that another test runs it. It returns the
// output.
func (r *runner) perform(command string) (string, error) {
	if out, ok := r.done[command]; ok {
		return out, nil
	}
	out, err := r.performNew(command)
	if err != nil {
		return out, fmt.Errorf("run %q: %w", command, err)
	}
	r.done[command] = out
	return out, nil
}

func (r *runner) performNew(command string) (string, error) {
	if at, ok := places[command]; ok {
		return "", at.check()
	}
	short, shortened := shorter[command]
	if shortened {
		command = short
	}
	p, err := take(command)
	if err != nil {
		return "", err
	}
	if len(p.args) == 1 {
		return "", errors.New("a program without arguments does nothing that a test could check")
	}
	program := p.args[0] + " " + p.args[1]
	switch {
	case program == "go test":
		return r.test(p)
	case program == "go run":
		return r.program(p)
	case program == "go doc", program == "go list", program == "go build", program == "go vet", program == "go -C":
		return r.run(p)
	case p.args[0] == "make" && (shortened || strings.HasPrefix(p.args[1], "bin/")):
		return r.run(p)
	case p.args[0] == "make":
		return r.made(p)
	default:
		return "", errors.New("it can't be run here, and table_test.go does not say where it is run")
	}
}

// check looks for the text that the table has for the place.
func (at place) check() error {
	text, err := os.ReadFile(filepath.Join(root, at.file))
	if err != nil {
		return err
	}
	if !strings.Contains(string(text), at.text) {
		return fmt.Errorf("%s does not have %q any more", at.file, at.text)
	}
	return nil
}

func (r *runner) run(p parts) (string, error) {
	c := exec.CommandContext(r.t.Context(), p.args[0], p.args[1:]...) //nolint:gosec // what the documents say
	c.Dir = root
	c.Env = append(os.Environ(), p.env...)
	for name, value := range settings {
		c.Env = append(c.Env, name+"="+value)
	}
	start := time.Now()
	out, err := c.CombinedOutput()
	r.t.Logf("%s: %v", strings.Join(p.args, " "), time.Since(start).Round(time.Millisecond))
	if err != nil {
		return string(out), fmt.Errorf("%s: %w\n%s", strings.Join(p.args, " "), err, out)
	}
	return string(out), nil
}

// made runs the commands that make would run.
func (r *runner) made(p parts) (string, error) {
	recipe, err := r.run(parts{env: p.env, args: append([]string{"make", "--no-print-directory", "-n"}, p.args[1:]...)})
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for line := range strings.Lines(recipe) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "make ") {
			return "", fmt.Errorf("make would call make again: %s", line)
		}
		part, err := r.performNew(line)
		if err != nil {
			return "", err
		}
		out.WriteString(part)
	}
	if out.Len() == 0 {
		return "", errors.New("make has nothing to do")
	}
	return out.String(), nil
}

// program runs a program of this repository.
func (r *runner) program(p parts) (string, error) {
	if len(p.args) > 2 && fewer[p.args[2]] != "" {
		more, err := split(fewer[p.args[2]])
		if err != nil {
			return "", err
		}
		p.args = append(p.args, more...)
	}
	return r.run(p)
}

// test runs the tests of a command, and each of its benchmarks once. There has to be at least
// one.
func (r *runner) test(p parts) (string, error) {
	p = p.without("-benchtime").without("-count")
	benchmarks, tests := p.value("-bench") != "", p.value("-run")
	if benchmarks && tests == "" { // the command is about the benchmarks
		tests = "^$"
		p.args = append(p.args, "-run", tests)
	}
	p.args = append(p.args, "-count=1", "-benchtime=1x", "-v")
	out, err := r.run(p)
	switch {
	case err != nil:
		return out, err
	case benchmarks && !benchmarked.MatchString(out):
		return out, fmt.Errorf("no benchmark was run:\n%s", out)
	case !strings.Contains(out, "=== RUN") && !none[tests]:
		return out, fmt.Errorf("no test was run:\n%s", out)
	}
	return out, nil
}

// none has the patterns that documents use to choose no test.
var none = map[string]bool{"^$": true, "xxx": true}

var benchmarked = regexp.MustCompile(`(?m)^Benchmark\S+\s+1\s`)

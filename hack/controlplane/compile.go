package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// beat is the time between two reports of the progress. It is so short that nobody thinks that a build hangs.
const beat = 10 * time.Second

// toCompile is the format for `go list`. It prints the packages that the go command's cache does not have.
const toCompile = `{{if and .Stale (ne .StaleReason "not installed but available in build cache")}}{{.ImportPath}}{{end}}`

// compile builds programs into a folder, and reports its progress. A first build downloads its
// modules when it asks for the packages, and the go command names each of them.
func (b *builder) compile(ctx context.Context, args []string, into string) error {
	list := b.command(ctx, append([]string{"list", "-deps", "-f", toCompile}, args...))
	list.Stderr = b.progress.Writer()
	packages, err := list.Output()
	if err != nil {
		return fmt.Errorf("find out what has to be compiled: %w", err)
	}
	todo := map[string]bool{}
	for _, name := range strings.Fields(string(packages)) {
		todo[name] = true
	}
	build := b.command(ctx, append([]string{"build", "-v", "-o", into + string(filepath.Separator)}, args...))
	complaints, err := build.StderrPipe()
	if err != nil {
		return err
	}
	if err := build.Start(); err != nil {
		return err
	}
	said := follow(bufio.NewReader(complaints), todo, b.progress.Printf)
	if err := build.Wait(); err != nil {
		return fmt.Errorf("%w\n%s", err, said)
	}
	return nil
}

// follow reads what `go build -v` writes, which names each package when its compilation
// begins. It reports how many of those to do that are, and returns the other lines.
func follow(lines *bufio.Reader, todo map[string]bool, report func(format string, args ...any)) (said string) {
	count, reported := len(todo), time.Now()
	report("packages to compile before the programs are linked: %d", count)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return said + line
		}
		name := strings.TrimSuffix(line, "\n")
		if !todo[name] {
			said += line
			continue
		}
		delete(todo, name)
		switch {
		case len(todo) == 0:
			report("linking")
		case time.Since(reported) >= beat:
			reported = time.Now()
			report("compiled %d of %d packages", count-len(todo), count)
		}
	}
}

// command is a go command in the module, without settings that are for the caller's own code.
func (b *builder) command(ctx context.Context, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = b.module
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	if os.Getenv("GOGC") == "" {
		// The compiler collects its garbage less often. So it takes half as much memory more, and a
		// fifth less time.
		cmd.Env = append(cmd.Env, "GOGC=400")
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // so that it cleans up
	cmd.WaitDelay = beat
	return cmd
}

// buildArgs are the build flags of all programs. While they are the same for all, the go
// command's cache has what an earlier program has compiled. -mod=readonly and -buildvcs=false
// make the build independent of the user's GOFLAGS and of the repository around it. Without
// the data for a debugger the compiler needs a tenth less time.
func buildArgs(link string) []string {
	return []string{"-mod=readonly", "-buildvcs=false", "-trimpath=false", "-gcflags=all=-dwarf=false", "-ldflags=" + link}
}

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// compile builds the programs of a job into a folder, and reports its progress.
func (b *builder) compile(ctx context.Context, j job, into string) error {
	names := strings.Join(namesOf(j.components), ", ")
	todo, err := b.look(ctx, j, names)
	if err != nil {
		return err
	}
	b.progress.Printf("building %s: %s", names, todo.plan())
	start := time.Now()
	args := append([]string{"build", "-v", "-o", into + string(filepath.Separator)}, buildArgs(j.link)...)
	said, err := b.patiently(b.command(ctx, j.module, append(args, packages(j.components)...)...), watcher{
		line:   todo.started,
		report: func() string { return todo.report(time.Since(start)) },
	})
	if err != nil {
		return fmt.Errorf("%w\n%s", err, said)
	}
	return nil
}

// look asks the go command what a job has to compile. A first build downloads its modules in
// this call.
func (b *builder) look(ctx context.Context, j job, names string) (*todo, error) {
	args := append([]string{"list", "-deps", "-f", listed}, buildArgs(j.link)...)
	cmd := b.command(ctx, j.module, append(args, packages(j.components)...)...)
	var list bytes.Buffer
	cmd.Stdout = &list
	downloads := 0
	said, err := b.patiently(cmd, watcher{
		line: func(line string) bool {
			isOne := strings.HasPrefix(line, "go: downloading ")
			if isOne {
				downloads++
			}
			return isOne
		},
		report: func() string {
			return fmt.Sprintf("finding out what has to be compiled for %s; %d modules downloaded so far", names, downloads)
		},
	})
	if err != nil {
		return nil, fmt.Errorf("find out what has to be compiled: %w\n%s", err, said)
	}
	return newTodo(list.String(), len(j.components)), nil
}

// watcher watches a command that takes long.
type watcher struct {
	line   func(line string) bool // reads a line, and reports whether it was for the watcher
	report func() string          // reports the progress
}

// patiently runs a command and reports from time to time. It returns the output that was not
// for the watcher.
func (b *builder) patiently(cmd *exec.Cmd, w watcher) (said string, err error) {
	complaints, err := cmd.StderrPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	var mu sync.Mutex // guards what w knows
	stop := b.repeat(func() {
		mu.Lock()
		defer mu.Unlock()
		b.progress.Print(w.report())
	})
	defer stop()
	var kept strings.Builder
	lines := bufio.NewReader(complaints)
	for {
		line, err := lines.ReadString('\n')
		mu.Lock()
		taken := line == "" || w.line(strings.TrimSuffix(line, "\n"))
		mu.Unlock()
		if !taken {
			kept.WriteString(line)
		}
		if err != nil {
			return kept.String(), cmd.Wait() // its output has ended, so the command has ended, too
		}
	}
}

func packages(all []component) []string {
	var pkgs []string
	for _, c := range all {
		pkgs = append(pkgs, c.pkg)
	}
	return pkgs
}

// command is the go command in a module, without settings that are for the caller's own code.
func (b *builder) command(ctx context.Context, m *module, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = filepath.Join(b.pins, m.folder)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	if os.Getenv("GOGC") == "" {
		// The compiler collects its garbage less often. So it takes half as much memory more, and a
		// fifth less time.
		cmd.Env = append(cmd.Env, "GOGC=400")
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // so that it cleans up
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// buildArgs are the build flags of all programs. While they are the same for all, the go
// command's cache has what an earlier program has compiled. -mod=readonly and -buildvcs=false
// make the build independent of the user's GOFLAGS and of the repository around it. Without
// the data for a debugger the compiler needs a tenth less time.
func buildArgs(link string) []string {
	return []string{"-mod=readonly", "-buildvcs=false", "-trimpath=false", "-gcflags=all=-dwarf=false", "-ldflags=" + link}
}

// versions reads versions from the pins, so that each version is written in one place.
func (b *builder) versions(ctx context.Context, wanted []component) (map[string]string, error) {
	m := wanted[0].module
	args := []string{"list", "-mod=readonly", "-m", "-f", "{{.Path}} {{.Version}}"}
	var paths []string
	for _, c := range wanted {
		if !c.own() {
			paths = append(paths, c.pin)
		}
	}
	if m.versioned != "" {
		paths = append(paths, m.versioned)
	}
	if len(paths) == 0 {
		return nil, nil
	}
	cmd := b.command(ctx, m, append(args, paths...)...)
	var list bytes.Buffer
	cmd.Stdout = &list
	said, err := b.patiently(cmd, watcher{
		line:   func(string) bool { return false },
		report: func() string { return "reading the pinned versions, and downloading what they depend on" },
	})
	if err != nil {
		return nil, fmt.Errorf("read the pinned versions of %s: %w\n%s", strings.Join(namesOf(wanted), ", "), err, said)
	}
	versions := map[string]string{}
	for line := range strings.Lines(list.String()) {
		path, version, _ := strings.Cut(strings.TrimSpace(line), " ")
		versions[path] = version
	}
	return versions, nil
}

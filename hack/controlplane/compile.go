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

// compile builds the programs of a job into a folder, and says how far it is.
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

// look asks what a job has to compile. This is when a first build downloads its modules.
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

// watcher looks after a command that takes long.
type watcher struct {
	line   func(line string) bool // takes a line, and reports whether it was for the watcher
	report func() string          // says how far it is
}

// patiently runs a command and reports now and then. It returns what the command said
// that the watcher did not take.
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
			return kept.String(), cmd.Wait() // its output has ended, so it has, too
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

// command is the go command in a module, shielded from settings that are about the
// caller's own code.
func (b *builder) command(ctx context.Context, m *module, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = filepath.Join(b.pins, m.folder)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	if os.Getenv("GOGC") == "" {
		// The compiler collects its garbage less often: it takes half as much memory
		// again, and a fifth less time.
		cmd.Env = append(cmd.Env, "GOGC=400")
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // so that it cleans up
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// buildArgs says how everything is built: what one program has compiled the next finds
// in the go command's cache, as long as these are the same. -mod=readonly and
// -buildvcs=false make it independent of the user's GOFLAGS and of the repository it
// happens to be in. The compiler spends a tenth of its time on what a debugger needs.
func buildArgs(link string) []string {
	return []string{"-mod=readonly", "-buildvcs=false", "-trimpath=false", "-gcflags=all=-dwarf=false", "-ldflags=" + link}
}

// versions asks the pins, so that a version is written in one place.
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

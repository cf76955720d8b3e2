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
	todo, err := b.look(ctx, j)
	if err != nil {
		return err
	}
	b.progress.Printf("building %s: %s", namesOf(j.components), todo.plan())
	start := time.Now()
	said, err := b.patiently(b.command(ctx, j, "build", "-v", "-o", into+string(filepath.Separator)), watcher{
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
func (b *builder) look(ctx context.Context, j job) (*todo, error) {
	cmd := b.command(ctx, j, "list", "-deps", "-f", listed)
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
			return fmt.Sprintf("finding out what has to be compiled for %s; %d modules downloaded so far", namesOf(j.components), downloads)
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

// command is a go command for the programs of a job, without settings that are for the caller's
// own code.
func (b *builder) command(ctx context.Context, j job, args ...string) *exec.Cmd {
	args = append(args, buildArgs(j.link)...)
	for _, c := range j.components {
		args = append(args, c.pkg)
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = filepath.Join(b.pins, j.module.folder)
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

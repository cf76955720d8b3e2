package controlplane

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
)

// process is a program that was started and may have ended.
type process struct {
	name   string
	log    string // file with all that it wrote
	kill   context.CancelFunc
	os     *os.Process
	exited chan struct{} // closed when it is gone
	err    error         // why it ended; read after exited
}

// command is a program to start.
type command struct {
	path string
	args []string
	log  string // file to append its output to
	home string // its HOME; empty for ours
}

// start runs c until it ends by itself, is killed, or g is stopped.
func (c command) start(g *lifecycle.Group) (*process, error) {
	p := &process{name: filepath.Base(c.path), log: c.log, exited: make(chan struct{})}
	started := make(chan error, 1)
	if !g.Guest(p.name, func(ctx context.Context) {
		defer close(p.exited)
		ctx, p.kill = context.WithCancel(ctx)
		defer p.kill()
		cmd := exec.CommandContext(ctx, c.path, c.args...)
		defer Bind(cmd)()
		err := c.run(cmd)
		p.os = cmd.Process
		started <- err
		if err == nil {
			p.err = cmd.Wait()
		}
	}) {
		return nil, fmt.Errorf("start %s: the control plane is stopped", p.name)
	}
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", p.name, err)
	}
	return p, nil
}

// Bind makes cmd a program that goes with this process: on Linux it does not outlive
// it, and a Ctrl-C in the terminal is not for it. The goroutine that calls Bind has to
// start cmd, and to call release when it has waited for its end.
func Bind(cmd *exec.Cmd) (release func()) {
	// The kernel ends the program when the thread that started it ends. So this thread
	// is the program's for as long as it runs.
	runtime.LockOSThread()
	endWithParent(cmd)
	return runtime.UnlockOSThread
}

// run starts cmd with its output in the log. The program has its own copy of the
// open file.
func (c command) run(cmd *exec.Cmd) error {
	log, err := os.OpenFile(c.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	cmd.Stdout, cmd.Stderr = log, log
	if c.home != "" {
		cmd.Env = append(os.Environ(), "HOME="+c.home)
	}
	return cmd.Start()
}

// running reports whether p was started and has not ended.
func (p *process) running() bool {
	if p == nil {
		return false
	}
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// end kills the process and waits until it is gone.
func (p *process) end() {
	p.kill()
	<-p.exited
}

// why says that the process ended by itself, with its last words.
func (p *process) why() error {
	return fmt.Errorf("%s exited: %w\n%s", p.name, p.err, tail(p.log))
}

// tail returns the last lines of a log.
func tail(path string) string {
	const lines = 25
	content, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	all := strings.SplitAfter(strings.TrimSpace(string(content)), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "")
}

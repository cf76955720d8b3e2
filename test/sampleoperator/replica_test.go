package sampleoperator

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
)

// crashPause is the time before a replica that has ended is started again.
const crashPause = 200 * time.Millisecond

// grace is how long a process may take to end. It is less than a kubelet allows.
const grace = 20 * time.Second

// replica is a process of the operator. It is started again when it ends, as a kubelet does
// it.
type replica struct {
	path  string
	args  []string
	env   []string // in addition to the environment of this process
	log   string   // the file with its output
	tasks *lifecycle.Group

	mu      sync.Mutex // guards everything below
	process *os.Process
	starts  int
	down    bool          // it must not be started
	changed chan struct{} // closed, and replaced, when down changes
}

// newReplica starts a replica. At the end of the test the replica is stopped, and has to end
// without an error.
func newReplica(t *testing.T, name string, env []string, args ...string) *replica {
	t.Helper()
	r := &replica{
		path: binary(t), args: args, env: env, log: filepath.Join(t.TempDir(), name+".log"),
		tasks: lifecycle.New(context.Background()), changed: make(chan struct{}),
	}
	r.tasks.Guest(name, r.run)
	t.Cleanup(func() {
		r.stop(t)
		r.tasks.Stop()
		if err := r.tasks.Wait(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if t.Failed() {
			t.Logf("%s, started %d times, wrote at the end:\n%s", name, r.count(), r.tail(40))
		}
	})
	return r
}

func (r *replica) run(ctx context.Context) {
	for ctx.Err() == nil {
		if changed, down := r.isDown(); down {
			select {
			case <-changed:
			case <-ctx.Done():
			}
			continue
		}
		r.once(ctx)
		select {
		case <-time.After(crashPause):
		case <-ctx.Done():
		}
	}
}

// once starts the process and waits until it has ended.
func (r *replica) once(ctx context.Context) {
	log, err := os.OpenFile(r.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		panic(err)
	}
	defer func() { _ = log.Close() }()
	command := exec.CommandContext(ctx, r.path, r.args...)
	command.Stdout, command.Stderr = log, log
	command.Env = append(os.Environ(), r.env...)
	defer controlplane.Bind(command)()
	if !r.started(command) {
		return
	}
	err = command.Wait()
	r.mu.Lock()
	r.process = nil
	r.mu.Unlock()
	_, _ = fmt.Fprintf(log, "--- ended: %v\n", err)
}

// started starts the process, unless the replica was stopped before.
func (r *replica) started(command *exec.Cmd) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.down {
		return false
	}
	if err := command.Start(); err != nil {
		panic(err)
	}
	r.process = command.Process
	r.starts++
	return true
}

func (r *replica) isDown() (changed <-chan struct{}, down bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changed, r.down
}

func (r *replica) setDown(down bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.down == down {
		return
	}
	r.down = down
	close(r.changed)
	r.changed = make(chan struct{})
}

// kill kills the process. It is started again.
func (r *replica) kill() { r.signal(syscall.SIGKILL) }

// stop ends the process as a rollout does, and waits until it has ended. It is not started
// again.
func (r *replica) stop(t *testing.T) {
	t.Helper()
	r.setDown(true)
	r.signal(syscall.SIGTERM)
	for begin := time.Now(); r.running(); time.Sleep(20 * time.Millisecond) {
		if time.Since(begin) > grace {
			t.Errorf("%s still runs %v after SIGTERM", r.path, grace)
			r.signal(syscall.SIGQUIT) // so that its log shows where it hangs
			return
		}
	}
}

// drop kills the process. It is not started again.
func (r *replica) drop() {
	r.setDown(true)
	for r.running() {
		r.kill()
		time.Sleep(20 * time.Millisecond)
	}
}

// start starts the process again after a stop.
func (r *replica) start() { r.setDown(false) }

// count returns how many times the process was started.
func (r *replica) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.starts
}

func (r *replica) running() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.process != nil
}

func (r *replica) signal(s syscall.Signal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.process != nil {
		_ = r.process.Signal(s) // it may have ended
	}
}

// wrote returns the output of all its processes.
func (r *replica) wrote() string {
	text, err := os.ReadFile(r.log)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func (r *replica) tail(lines int) string {
	all := strings.SplitAfter(r.wrote(), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "")
}

package stress

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// engine is what all of this is about, done right.
type engine struct {
	once    sync.Once
	stopped chan struct{}
}

func (e *engine) run(ctx context.Context) {
	select {
	case <-e.stopped:
	case <-ctx.Done():
	}
}

func (e *engine) stop() { e.once.Do(func() { close(e.stopped) }) }

func right() Life {
	e := &engine{stopped: make(chan struct{})}
	return Life{Run: e.run, Stops: []func(){e.stop}, Use: func() {}}
}

func TestRight(t *testing.T) { Test(t, right) }

func TestNothingToStop(t *testing.T) {
	Test(t, func() Life { return Life{Run: func(ctx context.Context) { <-ctx.Done() }} })
}

// wrong is done wrong in ways that have to be noticed.
var wrong = map[string]func() Life{
	"leaks": func() Life {
		return Life{Run: func(context.Context) { go func() { select {} }() }}
	},
	"hangs": func() Life {
		return Life{Run: func(context.Context) { select {} }}
	},
	"can't be stopped twice": func() Life {
		stopped := make(chan struct{})
		return Life{Stops: []func(){func() { close(stopped) }}}
	},
	"runs on when it was stopped before": func() Life {
		e := &engine{stopped: make(chan struct{})}
		running := false
		return Life{
			Run: func(ctx context.Context) {
				running = true
				e.run(ctx)
			},
			Stops: []func(){func() {
				if !running {
					panic("stopped before it was run")
				}
				e.stop()
			}},
		}
	},
}

// TestWrong runs each in a process of its own, because what is wrong with them
// takes the process with it.
func TestWrong(t *testing.T) {
	if name, child := os.LookupEnv("STRESS_WRONG"); child {
		patience = 200 * time.Millisecond
		Test(t, wrong[name])
		return
	}
	for name := range wrong {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestWrong$")
			run.Env = append(os.Environ(), "STRESS_WRONG="+name)
			out, err := run.CombinedOutput()
			if err == nil || !strings.Contains(string(out), "FAIL") && !strings.Contains(string(out), "panic") {
				t.Errorf("nothing was noticed: %v\n%s", err, out)
			}
		})
	}
}

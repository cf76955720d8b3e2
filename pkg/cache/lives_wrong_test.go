package cache

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// wrongThings are done wrong in ways that have to be noticed.
var wrongThings = map[string]func() thing{
	"leaks": func() thing {
		return thing{Run: func(context.Context) { go func() { select {} }() }}
	},
	"hangs": func() thing {
		return thing{Run: func(context.Context) { select {} }}
	},
	"can't be stopped twice": func() thing {
		stopped := make(chan struct{})
		return thing{Stops: []func(){func() { close(stopped) }}}
	},
	"runs on when it was stopped before": func() thing {
		running := false
		return thing{
			Run: func(ctx context.Context) { running = true; <-ctx.Done() },
			Stops: []func(){func() {
				if !running {
					panic("stopped before it was run")
				}
			}},
		}
	},
}

// TestWrongLives runs each in a process of its own, because what is wrong with them
// takes the process with it.
func TestWrongLives(t *testing.T) {
	if name, child := os.LookupEnv("STRESS_WRONG"); child {
		livesAtMost = 200 * time.Millisecond
		liveEveryOrder(t, wrongThings[name])
		return
	}
	for name := range wrongThings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestWrongLives$")
			run.Env = append(os.Environ(), "STRESS_WRONG="+name)
			out, err := run.CombinedOutput()
			if err == nil || !strings.Contains(string(out), "FAIL") && !strings.Contains(string(out), "panic") {
				t.Errorf("nothing was noticed: %v\n%s", err, out)
			}
		})
	}
}

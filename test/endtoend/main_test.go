package endtoend

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/go-logr/logr"
	"go.uber.org/goleak"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
)

// jobVariable has the job of a process that a benchmark has started, as JSON.
const jobVariable = "BENCH_JOB"

// A job is what a process does: be the server of a scenario, or its client.
type job struct {
	Scenario scenario
	Server   string // the address that a client connects to; empty for the server itself
	Profile  string // how the names of profiles begin; empty for none
}

func TestMain(m *testing.M) {
	text := os.Getenv(jobVariable)
	if text == "" {
		goleak.VerifyTestMain(m)
		return
	}
	ctrl.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(3) // nobody is left to tell
	}()
	if err := do(text); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func do(text string) error {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return fmt.Errorf("read the job: %w", err)
	}
	if j.Server == "" {
		return serve(j.Scenario)
	}
	found, err := measure(j)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(found)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

//go:build observability

package prometheus

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

	"github.com/go-logr/logr"
	"go.uber.org/goleak"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
)

const root = "../.."

// grace is how long a program may take to end.
const grace = 30 * time.Second

func TestMain(m *testing.M) {
	klog.SetLogger(logr.Discard())
	log.SetLogger(logr.Discard())
	goleak.VerifyTestMain(all{m})
}

// all runs all tests, and removes what they share.
type all struct{ *testing.M }

// Run returns the exit code.
func (a all) Run() int {
	defer func() { _ = os.RemoveAll(built.folder) }()
	return a.M.Run()
}

// built is the sample operator, which is compiled once.
var built struct {
	once   sync.Once
	folder string
	err    error
}

// binary returns the path of the sample operator.
func binary(t *testing.T) string {
	t.Helper()
	built.once.Do(func() {
		if built.folder, built.err = os.MkdirTemp("", "observability"); built.err == nil { //nolint:usetesting // it outlives the test
			built.err = compile(built.folder)
		}
	})
	if built.err != nil {
		t.Fatalf("compile the sample operator: %v", built.err)
	}
	return filepath.Join(built.folder, "sample-operator")
}

// compile compiles the sample operator.
func compile(to string) error {
	build := exec.CommandContext(context.Background(), "go", "build", "-o", to, "./examples/sample-operator")
	build.Dir = root
	if said, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, said)
	}
	return nil
}

// installed returns the path of a program that Go does not build.
func installed(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatalf("there is no %s: it comes with Prometheus, on Debian with `apt-get install prometheus`, "+
			"and elsewhere with what https://prometheus.io/download has; put it on PATH (%v)", name, err)
	}
	return path
}

// run starts a program, and ends it with the test. It may not end sooner.
func run(t *testing.T, name string, command func(context.Context) *exec.Cmd) {
	t.Helper()
	file := filepath.Join(t.TempDir(), name+".log")
	out, err := os.Create(file)
	must(t, err)
	tasks := lifecycle.New(context.Background())
	tasks.Guest(name, func(ctx context.Context) {
		c := command(ctx)
		c.Stdout, c.Stderr = out, out
		c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
		c.WaitDelay = grace
		defer controlplane.Bind(c)()
		if err := c.Run(); ctx.Err() == nil {
			t.Errorf("%s has ended: %v", name, err)
		}
	})
	t.Cleanup(func() {
		tasks.Stop()
		if err := tasks.Wait(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		_ = out.Close()
		if text, err := os.ReadFile(file); t.Failed() {
			lines := strings.SplitAfter(string(text), "\n")
			t.Logf("%s wrote at the end (error %v):\n%s", name, err, strings.Join(lines[max(0, len(lines)-30):], ""))
		}
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

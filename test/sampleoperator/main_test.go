package sampleoperator

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"k8s.io/klog/v2"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// patience is how long anything may take that needs no more than the machine's
// attention.
const patience = 3 * time.Minute

const root = "../.."

func TestMain(m *testing.M) {
	klog.SetLogger(logr.Discard())
	log.SetLogger(logr.Discard())
	goleak.VerifyTestMain(all{m})
}

// all is every test, and the end of what they share.
type all struct{ *testing.M }

// Run returns the exit code.
func (a all) Run() int {
	defer func() { _ = os.RemoveAll(built.folder) }()
	return a.M.Run()
}

// built is the operator's binary.
var built struct {
	once   sync.Once
	folder string
	err    error
}

// binary returns the operator as its image has it, packed once for all tests.
func binary(t *testing.T) string {
	t.Helper()
	built.once.Do(func() {
		built.folder, built.err = os.MkdirTemp("", "sample-operator") //nolint:usetesting // it outlives the test
		if built.err == nil {
			built.err = pack(built.folder)
		}
	})
	if built.err != nil {
		t.Fatalf("build the operator: %v", built.err)
	}
	return filepath.Join(built.folder, "manager")
}

// pack makes the image and takes the binary out of it. Where an image's binary can't run
// it is built as it is.
func pack(folder string) error {
	archive := filepath.Join(folder, "image.tar")
	command := exec.CommandContext(context.Background(), "go", "-C", "hack/image", "run", ".", "-platforms", "linux/"+runtime.GOARCH, "-o", archive) //nolint:gosec // our own
	if runtime.GOOS != "linux" {
		command = exec.CommandContext(context.Background(), "go", "build", "-o", filepath.Join(folder, "manager"), "./examples/sample-operator") //nolint:gosec // our own
	}
	command.Dir = root
	if out, err := command.CombinedOutput(); err != nil || runtime.GOOS != "linux" {
		return failed(err, out)
	}
	return unpack(archive, folder)
}

func failed(err error, out []byte) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w\n%s", err, out)
}

// waitUntil looks again and again whether there is nothing wrong any more.
func waitUntil(t *testing.T, what string, wrong func() error) {
	t.Helper()
	deadline := time.After(patience)
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	begin, said := time.Now(), time.Now()
	for {
		err := wrong()
		if err == nil {
			return
		}
		if time.Since(said) > 10*time.Second {
			said = time.Now()
			t.Logf("%v for %s: %v", time.Since(begin).Round(time.Second), what, err)
		}
		select {
		case <-deadline:
			t.Fatalf("waited %v for %s: %v", patience, what, err)
		case <-again.C:
		}
	}
}

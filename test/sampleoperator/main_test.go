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

	"k8s.io/klog/v2"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/delta-runtime/delta-runtime/internal/testing/realtime"
)

// patience is the limit for everything here, where a whole cluster has two cores.
const patience = 3 * time.Minute

const root = "../.."

func TestMain(m *testing.M) {
	klog.SetLogger(logr.Discard())
	log.SetLogger(logr.Discard())
	realtime.Main(all{m})
}

// all runs all tests, and ends what they share.
type all struct{ *testing.M }

// Run returns the exit code.
func (a all) Run() int {
	defer func() { _ = os.RemoveAll(built.folder) }()
	return a.M.Run()
}

// built is the path of the operator's binary.
var built struct {
	once   sync.Once
	folder string
	err    error
}

// binary returns the operator's binary from its image. The image is packed once for all
// tests.
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

// pack makes the image and takes the binary out of it. If the image's binary can't run on
// this machine, it builds one that can.
func pack(folder string) error {
	if runtime.GOOS != "linux" {
		return compile("build", "-o", filepath.Join(folder, "manager"), "./examples/sample-operator")
	}
	archive := filepath.Join(folder, "image.tar")
	if err := compile("-C", "hack/image", "run", ".", "-platforms", "linux/"+runtime.GOARCH, "-o", archive); err != nil {
		return err
	}
	return unpack(archive, folder)
}

// compile runs the go command in the root of the repository.
func compile(args ...string) error {
	command := exec.CommandContext(context.Background(), "go", args...)
	command.Dir = root
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

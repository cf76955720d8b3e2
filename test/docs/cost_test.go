//go:build slow

package docs

import (
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/delta-runtime/delta-runtime/internal/schema/schemas"
	"github.com/delta-runtime/delta-runtime/pkg/diff"
)

// alone is set in the environment of a process that runs one test and nothing else.
const alone = "RUN_ALONE"

// TestTheFirstDifferenceTakesMemory measures the memory that README.md names for a server that does
// not answer. The first difference in a process then loads the types of all kinds that client-go knows,
// and they stay in memory. It takes a process in which no other test has loaded them.
func TestTheFirstDifferenceTakesMemory(t *testing.T) {
	if os.Getenv(alone) == "" {
		own := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
		own.Env = append(os.Environ(), alone+"=yes")
		said, err := own.CombinedOutput()
		t.Logf("%s", said)
		if err != nil {
			t.Error(err)
		}
		return
	}
	kinds, err := schemas.New(&rest.Config{Host: "http://127.0.0.1:1"}, http.DefaultClient, scheme.Scheme)
	must(t, err)
	lives, made := memory()
	if changes := diff.New(web(3, 1), web(5, 2), kinds); changes.Empty() {
		t.Error("the two states are the same")
	}
	livesNow, madeNow := memory()
	stays, allocated := (livesNow-lives)/(1<<10), (madeNow-made)/(1<<20)
	t.Logf("the first difference allocates %d MB, and %d KB of them stay", allocated, stays)
	if stays < 600 || stays > 2400 || allocated < 5 || allocated > 30 {
		t.Errorf("the first difference allocates %d MB, and %d KB of them stay: README.md says otherwise", allocated, stays)
	}
	runtime.KeepAlive(kinds)
}

// memory returns the bytes in use, and all bytes that were ever allocated.
func memory() (live, ever int) {
	runtime.GC()
	runtime.GC() // the second run frees the memory that finalizers held
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int(s.HeapAlloc), int(s.TotalAlloc)
}

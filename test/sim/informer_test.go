package sim

import (
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-logr/logr"
	"go.uber.org/goleak"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
)

func TestMain(m *testing.M) {
	// The scripts have many faults that client-go logs. Only the complaints of the tests count
	// here.
	klog.SetOutput(io.Discard)
	klog.SetLogger(logr.Discard())
	utilruntime.ErrorHandlers = nil //nolint:reassign // there is no other way to silence it
	goleak.VerifyTestMain(m)
}

// eachSeed runs a test once per seed. Two run at a time, or as many as there are CPUs.
func eachSeed(t *testing.T, test func(t *testing.T, seed uint64)) {
	seeds.Each(t, 200, func(t *testing.T, seed uint64) {
		t.Parallel()
		test(t, seed)
	})
}

// incumbent is the informer to compare ours with.
var incumbent constructor = cache.NewSharedIndexInformer

// TestPaced drives both informers through a script that leaves them no choice. Each must tell
// what follows from what the server has sent it, and both must tell the same.
func TestPaced(t *testing.T) {
	eachSeed(t, func(t *testing.T, seed uint64) {
		s := paced(seed)
		a, b := run(t, s, subject), run(t, s, incumbent)
		report(t, a, "ours")
		report(t, b, "client-go's")
		if text := compare(a, b); text != "" {
			reportDiff(t, text, s)
		}
	})
}

// TestStormy drives an informer through a script that waits for nothing.
func TestStormy(t *testing.T) {
	eachSeed(t, func(t *testing.T, seed uint64) {
		report(t, run(t, stormy(seed), subject), "ours")
	})
}

func reportDiff(t *testing.T, text string, s *script) {
	t.Helper()
	if details.Add(1) > mostDetails {
		t.Error("ours and client-go's differ:", firstLine(strings.TrimSpace(text)))
		return
	}
	t.Errorf("ours (got) and client-go's (want) differ:%s\n%v", text, s)
}

// details limits the output if many seeds fail: the first failures are printed with all
// events, and the others only with their seed.
var details atomic.Int64

const mostDetails = 4

// report prints a failed run with everything that is needed to understand it.
func report(t *testing.T, o *outcome, whose string) {
	t.Helper()
	switch {
	case o.complaint == "":
	case details.Add(1) > mostDetails:
		t.Errorf("%s: %s", whose, firstLine(o.complaint))
	default:
		t.Errorf("%s:\n%s\n%vwhat the server sent:\n%s", whose, o.complaint, o.script, listing(o.entries))
	}
}

// listing prints a transcript. It leaves out bookmarks, except one at the end.
func listing(entries []*entry) string {
	var b strings.Builder
	for i, e := range entries {
		if e.items != nil || e.kind != "" || i == len(entries)-1 {
			fmt.Fprintf(&b, "  %3d %v\n", i, e)
		}
	}
	return b.String()
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

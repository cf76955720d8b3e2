package source_test

import (
	"testing"

	"github.com/go-logr/logr"
	"go.uber.org/goleak"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

func TestMain(m *testing.M) {
	log.SetLogger(logr.Discard())
	goleak.VerifyTestMain(m)
}

// reportErrorsAtOnce takes away apimachinery's error handlers. One of them waits until it has
// been a while since the last error, by a clock that was read outside of the bubble.
func reportErrorsAtOnce(t *testing.T) {
	t.Helper()
	before := utilruntime.ErrorHandlers
	t.Cleanup(func() { utilruntime.ErrorHandlers = before }) //nolint:reassign // no other way
	utilruntime.ErrorHandlers = nil                          //nolint:reassign // as above
}

// outlivePanics has a handler's panic logged instead of ending the process.
func outlivePanics(t *testing.T) {
	t.Helper()
	before := utilruntime.ReallyCrash
	t.Cleanup(func() { utilruntime.ReallyCrash = before })
	utilruntime.ReallyCrash = false
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

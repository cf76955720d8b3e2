package cache

import (
	"testing"

	"go.uber.org/goleak"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/go-logr/logr"
)

func TestMain(m *testing.M) {
	logf.SetLogger(logr.Discard())
	goleak.VerifyTestMain(lastly{m})
}

// lastly ends what benchmarks have in common before leaks are looked for.
type lastly struct{ *testing.M }

func (l lastly) Run() int { return untilExit.Run(l.M) }

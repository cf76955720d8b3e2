package cache

import (
	"testing"

	"go.uber.org/goleak"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/go-logr/logr"
)

func TestMain(m *testing.M) {
	logf.SetLogger(logr.Discard())
	goleak.VerifyTestMain(m)
}

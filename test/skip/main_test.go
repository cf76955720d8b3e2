package skip

import (
	"context"
	"testing"

	"github.com/go-logr/logr"
	"go.uber.org/goleak"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
)

func TestMain(m *testing.M) {
	log.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard())  // controller-runtime logs the panics that the worlds want
	utilruntime.ErrorHandlers = nil //nolint:reassign // one of the handlers sleeps by a clock that goes back between bubbles
	utilruntime.ReallyCrash = false
	utilruntime.PanicHandlers = []func(context.Context, any){func(_ context.Context, r any) {
		if _, ok := r.(wanted); ok {
			return
		}
		telling.crash(r)
	}}
	goleak.VerifyTestMain(shared.Around(m))
}

// shared is the control plane for worlds on a real server.
var shared controlplane.Shared

package differential

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"go.uber.org/goleak"
	"k8s.io/klog/v2"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	crlog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/cache"
)

func TestMain(m *testing.M) {
	crlog.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard())
	goleak.VerifyTestMain(m,
		// controller-runtime leaves two sorts of goroutines behind: those that wait for the sync of
		// an informer that is removed before, and metadata watches that are stopped while they pass
		// on an event.
		goleak.IgnoreAnyFunction("sigs.k8s.io/controller-runtime/pkg/cache.newMultiNamespaceInformer.func1"),
		goleak.IgnoreAnyFunction("sigs.k8s.io/controller-runtime/pkg/cache.newMultiNamespaceInformerHandlerRegistration.func1"),
		goleak.IgnoreAnyFunction("k8s.io/apimachinery/pkg/watch.(*filteredWatch).loop"),
	)
}

var (
	theirs constructor = crcache.New
	ours   constructor = cache.New
)

// most is how many differences a game finds before it ends. It is DIFFERENCES in the
// environment, or one, because the next difference may only be a consequence.
func most(t *testing.T) int {
	t.Helper()
	n, err := strconv.Atoi(os.Getenv("DIFFERENCES"))
	if err != nil {
		return 1
	}
	return n
}

func TestCaches(t *testing.T) {
	s := newServer(t)
	seeds.Each(t, 5, func(t *testing.T, seed uint64) {
		g, err := play(t.Context(), seed, s, most(t))
		if err != nil || len(g.complaints) > 0 {
			t.Errorf("options of seed %d:\n%s", seed, g.options)
		}
		for _, complaint := range g.complaints {
			t.Errorf("%s\n%s", complaint, strings.Repeat("-", 80))
		}
		if err != nil {
			t.Errorf("could not play: %v", err)
		}
	})
}

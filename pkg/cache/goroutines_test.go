package cache

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	crtools "k8s.io/client-go/tools/cache"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"

	patiently "github.com/delta-runtime/delta-runtime/internal/testing/await"
)

// tasks is how many goroutines there are that this module started.
func tasks() int {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	return strings.Count(string(stacks), "created by github.com/delta-runtime/delta-runtime/internal/base/lifecycle.")
}

// A kind with a handler has four goroutines: one applies what comes, one lists and watches,
// one keeps time, and one calls the handler.
func TestAKindTakesFourGoroutines(t *testing.T) {
	f := newFakeAPI(t, configMap("red", "a"))
	c := newCache(t, f, crcache.Options{}, Options{})
	start(t, c)
	before := tasks()
	i := informerOf(t, c, configMaps)
	called := make(chan struct{})
	handle(t, i, crtools.ResourceEventHandlerFuncs{AddFunc: func(any) { close(called) }})
	<-called
	// The one that made the informer may not have ended yet.
	patiently.Success(t, "four goroutines", func() error {
		if n := tasks() - before; n > 4 {
			return fmt.Errorf("a kind with one handler takes %d goroutines", n)
		}
		return nil
	})
}

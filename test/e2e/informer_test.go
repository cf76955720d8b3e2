package e2e

import (
	"os"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/pkg/toolscache"
)

// newInformer is the constructor of the tested informer.
type newInformer func(cache.ListerWatcher, runtime.Object, time.Duration, cache.Indexers) cache.SharedIndexInformer

var informers = map[string]newInformer{
	"ours":      toolscache.NewSharedIndexInformer,
	"client-go": cache.NewSharedIndexInformer,
}

// chosenInformer is ours, unless E2E_INFORMER names another one.
func chosenInformer(t *testing.T) newInformer {
	t.Helper()
	name := os.Getenv("E2E_INFORMER")
	if name == "" {
		name = "ours"
	}
	informer, ok := informers[name]
	if !ok {
		t.Fatalf("E2E_INFORMER=%s: there is no such informer", name)
	}
	t.Logf("informer: %s", name)
	return informer
}

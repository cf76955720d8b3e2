package cache

import (
	"fmt"
	"testing"
	"time"

	crcache "sigs.k8s.io/controller-runtime/pkg/cache"

	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// A kind remembers nothing of the policies of namespaces that are gone.
func TestPoliciesOfNamespacesThatAreGoneAreForgotten(t *testing.T) {
	f := newFakeAPI(t)
	c := newCache(t, f, limitedTo("red"), Options{})
	informerOf(t, c, configMaps)
	start(t, c)
	for n := range 3 {
		namespace := fmt.Sprint("n", n)
		must(t, c.AddNamespace(t.Context(), namespace, crcache.Config{}))
		must(t, c.SetResync(configMaps, resync.Policy{Period: time.Duration(n+1) * time.Hour}))
		must(t, c.RemoveNamespace(t.Context(), namespace, informer.Silently))
	}
	for _, k := range *c.kinds.Load() {
		k.resyncing.Lock()
		if len(k.resyncs) != 1 {
			t.Errorf("the policies of %d namespaces are remembered: %v", len(k.resyncs), k.resyncs)
		}
		k.resyncing.Unlock()
	}
}

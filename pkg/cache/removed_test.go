package cache

import (
	"testing"

	crcache "sigs.k8s.io/controller-runtime/pkg/cache"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
)

// A kind that was removed while it was made is not run by a cache that is about to end.
func TestARemovedKindIsNotRunByACacheThatEnds(t *testing.T) {
	c := newCache(t, newFakeAPI(t), crcache.Options{}, Options{})
	c.phase, c.group = running, lifecycle.New(t.Context())
	c.group.Stop()
	k, _ := c.claim(kindID{gvk: podKind, form: typedForm})
	c.remove(k)
	c.run(k)
	if k.running != nil {
		t.Error("it runs")
	}
}

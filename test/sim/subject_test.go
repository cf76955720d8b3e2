package sim

import (
	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/pkg/toolscache"
)

// subject is the informer under test.
var subject constructor = toolscache.NewSharedIndexInformer

// subjectFIFO is the DeltaFIFO under test.
func subjectFIFO(o cache.DeltaFIFOOptions) deltaFIFO {
	f := toolscache.NewDeltaFIFOWithOptions(o)
	return deltaFIFO{Queue: f, keys: f.ListKeys}
}

package toolscache_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
)

// A side is one of the implementations that a row measures. All of them are made
// by client-go's signatures, so that nothing but the constructor differs.
type side struct {
	name        string
	newFIFO     func(cache.DeltaFIFOOptions) cache.Queue
	newInformer func(cache.ListerWatcher, runtime.Object, cache.SharedIndexInformerOptions) cache.SharedIndexInformer
}

var incumbent = side{
	name:        "incumbent",
	newFIFO:     func(options cache.DeltaFIFOOptions) cache.Queue { return cache.NewDeltaFIFOWithOptions(options) },
	newInformer: cache.NewSharedIndexInformerWithOptions,
}

// eachSide runs one benchmark for every side, under the name that pairs them.
func eachSide(b *testing.B, run func(*testing.B, side)) {
	b.Helper()
	for _, s := range sides() {
		b.Run(s.name, func(b *testing.B) { run(b, s) })
	}
}

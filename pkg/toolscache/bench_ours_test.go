package toolscache_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/internal/engine/store"
	"github.com/delta-runtime/delta-runtime/internal/testing/benchkit"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/toolscache"
)

var ours = side{
	name:        "ours",
	newFIFO:     func(options cache.DeltaFIFOOptions) cache.Queue { return toolscache.NewDeltaFIFOWithOptions(options) },
	newInformer: toolscache.NewSharedIndexInformerWithOptions,
}

// sides lists what the rows compare.
func sides() []side { return []side{ours, incumbent} }

// The variants called "own" put our FIFO, as the informer uses it, in place of the
// one that has client-go's methods: typed, and popped a batch at a time. The
// incumbent does what it does in the row itself.

var podTraits = store.Traits[*corev1.Pod]{
	Key: func(p *corev1.Pod) (delta.Key, error) {
		return delta.Key{Namespace: p.Namespace, Name: p.Name}, nil
	},
	Version: func(p *corev1.Pod) string { return p.ResourceVersion },
	UID:     func(p *corev1.Pod) string { return string(p.UID) },
	Labels:  func(p *corev1.Pod) map[string]string { return p.Labels },
}

// measureOwn is [measureBursts] of our own FIFO.
func measureOwn(b *testing.B, pods []*corev1.Pod, op delta.Op) {
	b.Helper()
	fifo, in := ownFIFO(store.New(podTraits, nil))
	measureBursts(b, func(from, to int) {
		for i := from; i < to; i++ {
			pod := pods[i%len(pods)]
			must(b, in.Push(delta.Delta[*corev1.Pod]{Op: op, New: pod, Version: pod.ResourceVersion}, pod.ResourceVersion))
		}
		if got := popBatch(fifo); got != to-from {
			b.Fatalf("popped %d deltas, want %d", got, to-from)
		}
	})
}

// ownFIFO returns our FIFO before a store.
func ownFIFO(s *store.Store[*corev1.Pod]) (*engine.DeltaFIFO[*corev1.Pod], *engine.Inlet[*corev1.Pod]) {
	fifo := engine.NewDeltaFIFO(&engine.Options[*corev1.Pod]{Traits: podTraits}, s)
	inlet := fifo.Open("", nil, nil)
	return fifo, inlet
}

// popBatch takes a batch, which gives back the one before, and looks at everything in it.
func popBatch(fifo *engine.DeltaFIFO[*corev1.Pod]) int {
	batch, _ := fifo.Next()
	seen := 0
	for d := range batch.Deltas() {
		if d.New != nil {
			seen++
		}
	}
	return seen
}

// replaceOwn is Row 3 with our own FIFO over our own store. Objects that did not
// change are not queued, so that there may be nothing to pop.
func replaceOwn(b *testing.B, pods []*corev1.Pod) {
	b.Helper()
	known, keys := store.New(podTraits, nil), make([]delta.Key, len(pods))
	txn := known.Begin(len(pods))
	for i, pod := range pods {
		keys[i] = delta.Key{Namespace: pod.Namespace, Name: pod.Name}
		txn.Put(keys[i], pod)
	}
	txn.Commit("1")
	fifo, in := ownFIFO(known)
	b.ReportAllocs()
	b.ResetTimer()
	cpu := benchkit.StartCPU()
	for range b.N {
		must(b, in.Replace(pods, reflector.Replacement{Version: "2000000", Keys: keys}))
		popBatch(fifo)
	}
	reportEach(b, cpu, b.N*len(pods))
}

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

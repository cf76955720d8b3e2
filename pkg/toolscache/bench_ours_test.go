package toolscache_test

import (
	"iter"
	"testing"

	corev1 "k8s.io/api/core/v1"
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
	fifo := engine.NewDeltaFIFO(engine.FIFOOptions[*corev1.Pod]{Traits: podTraits})
	measureBursts(b, func(from, to int) {
		for i := from; i < to; i++ {
			pod := pods[i%len(pods)]
			must(b, fifo.Push(delta.Delta[*corev1.Pod]{Op: op, New: pod, Version: pod.ResourceVersion}, pod.ResourceVersion))
		}
		if got := popBatch(b, fifo); got != to-from {
			b.Fatalf("popped %d deltas, want %d", got, to-from)
		}
	})
}

// popBatch takes a batch, looks at everything in it and gives it back.
func popBatch(b *testing.B, fifo *engine.DeltaFIFO[*corev1.Pod]) int {
	batch, err := fifo.Pop(b.Context())
	must(b, err)
	seen := 0
	for d := range batch.Deltas() {
		if d.New != nil {
			seen++
		}
	}
	fifo.Release()
	return seen
}

// replaceOwn is Row 3 with our own FIFO over our own store. Objects that did not
// change are not queued, so that there may be nothing to pop.
func replaceOwn(b *testing.B, pods []*corev1.Pod) {
	b.Helper()
	known := known{store.New(podTraits, nil)}
	txn := known.Begin(len(pods))
	for _, pod := range pods {
		txn.Put(delta.Key{Namespace: pod.Namespace, Name: pod.Name}, pod)
	}
	txn.Commit("1")
	fifo := engine.NewDeltaFIFO(engine.FIFOOptions[*corev1.Pod]{Traits: podTraits, Known: known})
	b.ReportAllocs()
	b.ResetTimer()
	cpu := benchkit.StartCPU()
	for range b.N {
		must(b, fifo.Replace(pods, reflector.Replacement{Version: "2000000"}))
		popBatch(b, fifo)
	}
	reportEach(b, cpu, b.N*len(pods))
}

// known shows a store to a FIFO.
type known struct{ *store.Store[*corev1.Pod] }

func (k known) Keys(string) iter.Seq[delta.Key] {
	return func(yield func(delta.Key) bool) {
		view := k.View()
		defer view.Release()
		for key := range view.All() {
			if !yield(key) {
				return
			}
		}
	}
}

func (k known) Count(string) int { return k.Len() }

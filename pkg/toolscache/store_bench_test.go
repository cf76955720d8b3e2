package toolscache_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/testing/benchkit"
)

// storeIndexers are the first n of three: what a store of Pods is asked by.
func storeIndexers(n int) cache.Indexers {
	indexers := cache.Indexers{}
	for _, x := range []struct {
		name   string
		values cache.IndexFunc
	}{
		{cache.NamespaceIndex, cache.MetaNamespaceIndexFunc},
		{"node", func(obj any) ([]string, error) { return []string{obj.(*corev1.Pod).Spec.NodeName}, nil }},
		{"owner", func(obj any) ([]string, error) { return []string{obj.(*corev1.Pod).Labels[benchkit.LabelOwner]}, nil }},
	}[:n] {
		indexers[x.name] = x.values
	}
	return indexers
}

// indexed runs a benchmark with no index, one and three.
func indexed(b *testing.B, run func(b *testing.B, s side, indexers cache.Indexers)) {
	b.Helper()
	for _, n := range []int{0, 1, 3} {
		b.Run(fmt.Sprint("indexers=", n), func(b *testing.B) {
			eachSide(b, func(b *testing.B, s side) { run(b, s, storeIndexers(n)) })
		})
	}
}

// A storeWorld is a store with Pods in it, and what is asked of it.
type storeWorld struct {
	store cache.Indexer
	pods  []*corev1.Pod
	order []int    // in which they are visited, random
	keys  []string // copies, as those that a request carries are
}

func newStoreWorld(b *testing.B, s side, indexers cache.Indexers) *storeWorld {
	b.Helper()
	w := &storeWorld{store: s.newStore(indexers), pods: benchkit.Pods(benchkit.Size(b))}
	w.order = rand.New(rand.NewPCG(1, 2)).Perm(len(w.pods))
	must(b, w.store.Replace(anys(w.pods), "1"))
	for i, pod := range w.pods {
		if i%2 == 0 { // a store has some that came with a list and some that changed since
			must(b, w.store.Update(benchkit.Changed(pod, benchkit.VersionAfter(len(w.pods), i))))
		}
	}
	for _, pod := range w.pods {
		key, err := cache.MetaNamespaceKeyFunc(pod)
		must(b, err)
		w.keys = append(w.keys, strings.Clone(key))
	}
	runtime.GC()
	return w
}

func anys(pods []*corev1.Pod) []any {
	objs := make([]any, len(pods))
	for i, pod := range pods {
		objs[i] = pod
	}
	return objs
}

// BenchmarkRow40_ClientGoStoreGet asks for a Pod by the text of its key.
func BenchmarkRow40_ClientGoStoreGet(b *testing.B) {
	eachSide(b, func(b *testing.B, s side) {
		w := newStoreWorld(b, s, storeIndexers(1))
		b.ResetTimer()
		cpu := benchkit.StartCPU()
		for i := range b.N {
			if _, found, err := w.store.GetByKey(w.keys[w.order[i%len(w.order)]]); err != nil || !found {
				b.Fatal(found, err)
			}
		}
		cpu.Report(b, b.N)
	})
}

// BenchmarkRow41_ClientGoStoreUpdate stores a new version of a Pod.
func BenchmarkRow41_ClientGoStoreUpdate(b *testing.B) {
	indexed(b, func(b *testing.B, s side, indexers cache.Indexers) {
		w := newStoreWorld(b, s, indexers)
		const stride = 1000
		next := make([]*corev1.Pod, stride)
		b.ReportAllocs()
		b.ResetTimer()
		cpu := benchkit.StartCPU()
		cpu.Stop()
		for done := 0; done < b.N; done += stride {
			b.StopTimer()
			for j := range next {
				next[j] = benchkit.Changed(w.pods[w.order[(done+j)%len(w.order)]], benchkit.VersionAfter(len(w.pods), done+j))
			}
			b.StartTimer()
			cpu.Start()
			for _, pod := range next[:min(stride, b.N-done)] {
				must(b, w.store.Update(pod))
			}
			cpu.Stop()
		}
		cpu.Report(b, b.N)
	})
}

// BenchmarkRow42_ClientGoStoreList returns all Pods.
func BenchmarkRow42_ClientGoStoreList(b *testing.B) {
	eachSide(b, func(b *testing.B, s side) {
		w := newStoreWorld(b, s, storeIndexers(1))
		b.ReportAllocs()
		b.ResetTimer()
		cpu := benchkit.StartCPU()
		for range b.N {
			if found := len(w.store.List()); found != len(w.pods) {
				b.Fatalf("listed %d, want %d", found, len(w.pods))
			}
		}
		cpu.Report(b, b.N)
	})
}

// BenchmarkRow43_ClientGoStoreReplaceUnchanged is a relist that shows what is there, decoded again.
func BenchmarkRow43_ClientGoStoreReplaceUnchanged(b *testing.B) {
	indexed(b, func(b *testing.B, s side, indexers cache.Indexers) {
		w := newStoreWorld(b, s, indexers)
		again := [][]any{anys(benchkit.Pods(len(w.pods))), anys(benchkit.Pods(len(w.pods)))}
		must(b, w.store.Replace(again[1], "1"))
		b.ReportAllocs()
		b.ResetTimer()
		cpu := benchkit.StartCPU()
		for i := range b.N {
			must(b, w.store.Replace(again[i%2], "1"))
		}
		reportEach(b, cpu, b.N*len(w.pods))
	})
}

// BenchmarkRow44_ClientGoStoreAdd fills an empty store, one Pod after the other.
func BenchmarkRow44_ClientGoStoreAdd(b *testing.B) {
	indexed(b, func(b *testing.B, s side, indexers cache.Indexers) {
		pods := benchkit.Pods(benchkit.Size(b))
		b.ReportAllocs()
		b.ResetTimer()
		cpu := benchkit.StartCPU()
		for range b.N {
			store := s.newStore(indexers)
			for _, pod := range pods {
				must(b, store.Add(pod))
			}
		}
		reportEach(b, cpu, b.N*len(pods))
	})
}

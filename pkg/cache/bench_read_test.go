package cache

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/testing/benchkit"
)

// readSides runs a benchmark on ours and on controller-runtime's cache. read does
// one operation.
func readSides(b *testing.B, read func(b *testing.B, from served, i int)) {
	b.Helper()
	run := func(side func() served) func(*testing.B) {
		return func(b *testing.B) {
			from := side()
			read(b, from, 0) // builds what is built on first use
			withCollections(b, heapFor(len(from.pods)), func(i int) { read(b, from, i) })
		}
	}
	b.Run("ours", run(ourServing))
	b.Run("incumbent", run(theirServing))
}

func BenchmarkRow18_CacheGet(b *testing.B) {
	readSides(b, func(b *testing.B, from served, i int) {
		var out corev1.Pod
		must(b, from.Get(b.Context(), from.pods[i*7919%len(from.pods)], &out))
	})
}

func BenchmarkRow19_CacheListNamespace(b *testing.B) {
	readSides(b, func(b *testing.B, from served, i int) {
		pods := len(from.pods)
		listOf(b, from, max(pods/benchkit.Namespaces, benchkit.PodsPerOwner), client.InNamespace(benchkit.NamespaceOf(i*benchkit.PodsPerOwner%pods)))
	})
}

func BenchmarkRow20_CacheListByLabel(b *testing.B) {
	for _, size := range labelledSizes {
		b.Run(fmt.Sprint("matches=", size), func(b *testing.B) {
			readSides(b, func(b *testing.B, from served, i int) {
				listOf(b, from, min(size, len(from.pods)), client.MatchingLabels{shardOf(size): shard(i*size%len(from.pods), size)})
			})
		})
	}
}

func BenchmarkRow21_CacheListByField(b *testing.B) {
	readSides(b, func(b *testing.B, from served, i int) {
		listOf(b, from, 100, client.MatchingFields{"spec.hostname": shard(i*100%len(from.pods), 100)})
	})
}

func listOf(b *testing.B, from client.Reader, want int, opts ...client.ListOption) {
	b.Helper()
	var out corev1.PodList
	must(b, from.List(b.Context(), &out, opts...))
	if len(out.Items) != want {
		b.Fatalf("listed %d, want %d", len(out.Items), want)
	}
}

// BenchmarkRow28_CacheMemory is what a cached Pod takes, with a field index.
func BenchmarkRow28_CacheMemory(b *testing.B) {
	b.Run("ours", func(b *testing.B) { benchkit.ReportMemory(b, ourServing().bytes) })
	b.Run("incumbent", func(b *testing.B) { benchkit.ReportMemory(b, theirServing().bytes) })
}

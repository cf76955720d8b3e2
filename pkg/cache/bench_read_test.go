package cache

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	crtools "k8s.io/client-go/tools/cache"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/benchkit"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/toolscache"
)

// shardOf is a label by which the Pods are cut into shards of a size.
func shardOf(size int) string { return fmt.Sprintf("bench/shard-of-%d", size) }

// shard is the value of that label on the i-th Pod.
func shard(i, size int) string { return fmt.Sprint("s", i/size) }

// labelledSizes are few, so that the labels stay as many as Pods have.
var labelledSizes = []int{10, 1000}

// benchPods are read-only, and the same for both sides.
var benchPods = sync.OnceValue(func() []*corev1.Pod {
	pods := benchkit.Pods(benchSize)
	for i, pod := range pods {
		pod.Labels = maps.Clone(pod.Labels)
		for _, size := range labelledSizes {
			pod.Labels[shardOf(size)] = shard(i, size)
		}
		pod.Spec.Hostname = shard(i, 100)
	}
	// A cache that has lived for a while has its objects all over memory.
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(pods), func(i, j int) { pods[i], pods[j] = pods[j], pods[i] })
	return pods
})

var benchSize int

var benchFields = byField{"spec.hostname": func(obj client.Object) []string { return []string{obj.(*corev1.Pod).Spec.Hostname} }}

// newServing returns a cache of ours that runs, over an API without Pods, with these
// in its store.
func newServing(b *testing.B, pods []*corev1.Pod) *Cache {
	b.Helper()
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(podKind, meta.RESTScopeNamespace)
	c, err := NewWith(&rest.Config{}, crcache.Options{Scheme: scheme.Scheme, Mapper: mapper}, Options{})
	must(b, err)
	k, _ := c.claim(kindID{gvk: podKind, form: typedForm})
	must(b, k.make(c))
	config := k.config(c, c.plan.Load().general(podKind))
	config.Reflector.Lists = informer.PagesOnly
	config.Scopes[0].ListerWatcher = &crtools.ListWatch{
		ListWithContextFunc: func(context.Context, metav1.ListOptions) (runtime.Object, error) { return &corev1.PodList{}, nil },
		WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) {
			return watch.NewFake(), nil
		},
	}
	k.informer, err = toolscache.NewSharedInformerFor(config)
	must(b, err)
	k.reader.Store(k.newReader(meta.RESTScopeNameNamespace, c.pages))
	close(k.ready)
	c.run(k)
	start(b, c)
	for field, extract := range benchFields {
		must(b, c.IndexField(b.Context(), &corev1.Pod{}, field, extract))
	}
	for _, pod := range pods {
		must(b, k.informer.GetIndexer().Add(pod))
	}
	return c
}

// readSides runs a benchmark on ours and on controller-runtime's cache. read does
// one operation.
func readSides(b *testing.B, read func(b *testing.B, from client.Reader, i int)) {
	b.Helper()
	benchSize = benchkit.Size(b)
	ours := sync.OnceValue(func() client.Reader { return newServing(b, benchPods()) })
	theirs := sync.OnceValue(func() client.Reader {
		in := newIncumbent(b, &corev1.Pod{}, benchFields, crcache.Options{})
		for _, pod := range benchPods() {
			if err := in.indexer.Add(pod); err != nil {
				b.Fatal(err)
			}
		}
		return in
	})
	run := func(side func() client.Reader) func(*testing.B) {
		return func(b *testing.B) {
			from := side()
			read(b, from, 0) // builds what is built on first use
			b.ReportAllocs()
			b.ResetTimer()
			cpu := benchkit.StartCPU()
			for i := range b.N {
				read(b, from, i)
			}
			cpu.Report(b, b.N)
		}
	}
	b.Run("ours", run(ours))
	b.Run("incumbent", run(theirs))
}

func BenchmarkRow18_CacheGet(b *testing.B) {
	readSides(b, func(b *testing.B, from client.Reader, i int) {
		pods := benchPods()
		var out corev1.Pod
		must(b, from.Get(b.Context(), client.ObjectKeyFromObject(pods[i*7919%len(pods)]), &out))
	})
}

func BenchmarkRow19_CacheListNamespace(b *testing.B) {
	readSides(b, func(b *testing.B, from client.Reader, i int) {
		listOf(b, from, benchSize/benchkit.Namespaces, client.InNamespace(benchkit.NamespaceOf(i*benchkit.PodsPerOwner)))
	})
}

func BenchmarkRow20_CacheListByLabel(b *testing.B) {
	for _, size := range []int{10, 1000} {
		b.Run(fmt.Sprint("matches=", size), func(b *testing.B) {
			readSides(b, func(b *testing.B, from client.Reader, i int) {
				listOf(b, from, size, client.MatchingLabels{shardOf(size): shard(i*size%benchSize, size)})
			})
		})
	}
}

func BenchmarkRow21_CacheListByField(b *testing.B) {
	readSides(b, func(b *testing.B, from client.Reader, i int) {
		listOf(b, from, 100, client.MatchingFields{"spec.hostname": shard(i*100%benchSize, 100)})
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

func must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

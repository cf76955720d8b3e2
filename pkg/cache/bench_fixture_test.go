package cache

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	goruntime "runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

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

	"github.com/delta-runtime/delta-runtime/internal/testing/benchkit"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// shardOf is a label that cuts the Pods into shards of a size.
func shardOf(size int) string { return fmt.Sprintf("bench/shard-of-%d", size) }

// shard is the value of that label on the i-th Pod.
func shard(i, size int) string { return fmt.Sprint("s", i/size) }

// labelledSizes are few, so that the labels stay as many as Pods have.
var labelledSizes = []int{10, 1000}

// benchPods makes what the API has.
func benchPods(b testing.TB) []*corev1.Pod {
	b.Helper()
	pods := benchkit.Pods(benchkit.Size(b))
	for i, pod := range pods {
		pod.Labels = maps.Clone(pod.Labels)
		for _, size := range labelledSizes {
			pod.Labels[shardOf(size)] = shard(i, size)
		}
		pod.Spec.Hostname = shard(i, 100)
	}
	return pods
}

var benchFields = byField{"spec.hostname": func(obj client.Object) []string { return []string{obj.(*corev1.Pod).Spec.Hostname} }}

// A podServer is the API of a benchmark. It lists benchPods, and then tells of one
// change to each of them in random order, so that a cache has its objects where one
// has them that has lived for a while.
type podServer struct {
	heap    benchkit.Heap // before it was made
	pods    []*corev1.Pod
	changes *watch.FakeWatcher // for who lists by listWatch
	events  *io.PipeReader     // for who asks by HTTP
	told    *io.PipeWriter
}

func newPodServer(b testing.TB) *podServer {
	b.Helper()
	s := &podServer{heap: benchkit.StartHeap(), pods: benchPods(b), changes: watch.NewFake()}
	s.events, s.told = io.Pipe()
	return s
}

// A served cache has what a podServer had. That one has let go of it, since a process
// has its objects in the cache and nowhere else.
type served struct {
	client.Reader
	pods  []client.ObjectKey
	bytes float64 // that live for each Pod
}

// RoundTrip answers a request as an API server does.
func (s *podServer) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {runtime.ContentTypeProtobuf}}, Body: s.events}
	if r.URL.Query().Get("watch") == "true" {
		context.AfterFunc(r.Context(), func() { _ = s.events.Close() })
		return answer, nil
	}
	answer.Body = io.NopCloser(bytes.NewReader(inProtobuf.encode(untilExit, kinded(podListKind, s.all()))))
	return answer, nil
}

// inProtobuf is how it speaks.
var inProtobuf = tongue{form: typedForm, binary: true}

// modify tells of a change in the same way.
func (s *podServer) modify(pod *corev1.Pod) {
	_, err := s.told.Write(inProtobuf.event(untilExit, watch.Modified, kinded(podKind, pod)))
	must(untilExit, err)
}

// all is a list of all Pods.
func (s *podServer) all() *corev1.PodList {
	list := &corev1.PodList{Items: make([]corev1.Pod, len(s.pods))}
	for i, pod := range s.pods {
		list.Items[i] = *decoded(pod)
	}
	list.ResourceVersion = strconv.FormatUint(benchkit.VersionAfter(len(s.pods), 0), 10)
	return list
}

func (s *podServer) listWatch() *crtools.ListWatch {
	return &crtools.ListWatch{
		ListWithContextFunc: func(context.Context, metav1.ListOptions) (runtime.Object, error) {
			return s.all(), nil
		},
		WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) { return s.changes, nil },
	}
}

// decoded is the Pod as it comes from the wire, where it shares nothing with others.
func decoded(pod *corev1.Pod) *corev1.Pod {
	wire, err := pod.Marshal()
	must(untilExit, err)
	out := new(corev1.Pod)
	must(untilExit, out.Unmarshal(wire))
	return out
}

// age changes every Pod once, lets go of them, and returns the cache when it has seen it.
func (s *podServer) age(b testing.TB, cached client.Reader, modify func(*corev1.Pod)) served {
	b.Helper()
	pods := s.pods
	order := rand.New(rand.NewPCG(1, 2)).Perm(len(pods))
	for n, i := range order {
		modify(benchkit.Changed(pods[i], benchkit.VersionAfter(len(pods), n+1)))
	}
	last := client.ObjectKeyFromObject(pods[order[len(order)-1]])
	for version := strconv.FormatUint(benchkit.VersionAfter(len(pods), len(pods)), 10); ; goruntime.Gosched() {
		var pod corev1.Pod
		if must(b, cached.Get(b.Context(), last, &pod)); pod.ResourceVersion == version {
			break
		}
	}
	keys := make([]client.ObjectKey, len(pods))
	for i, pod := range pods {
		keys[i] = client.ObjectKeyFromObject(pod)
	}
	s.pods = nil
	return served{cached, keys, s.heap.Grown(len(keys), cached)}
}

// plainList is a ListWatch whose list can't be streamed.
type plainList struct{ *crtools.ListWatch }

func (plainList) IsWatchListSemanticsUnSupported() bool { return true }

// newServing returns a cache of ours that runs over a podServer.
func newServing(b testing.TB) served {
	b.Helper()
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(podKind, meta.RESTScopeNamespace)
	server := newPodServer(b)
	c, err := NewWithOptions(&rest.Config{Host: "http://nowhere", QPS: -1},
		crcache.Options{Scheme: scheme.Scheme, Mapper: mapper, HTTPClient: &http.Client{Transport: server}},
		Options{Default: KindOptions{Reflector: informer.Settings{Lists: informer.PagesOnly}}})
	must(b, err)
	start(b, c)
	for field, extract := range benchFields {
		must(b, c.IndexField(b.Context(), &corev1.Pod{}, field, extract))
	}
	return server.age(b, c, server.modify)
}

// newIncumbentServing returns controller-runtime's cache over a podServer.
func newIncumbentServing(b testing.TB) served {
	b.Helper()
	server := newPodServer(b)
	c := newIncumbent(b, &corev1.Pod{}, benchFields, crcache.Options{
		NewInformer: func(_ crtools.ListerWatcher, obj runtime.Object, resync time.Duration, indexers crtools.Indexers) crtools.SharedIndexInformer {
			return crtools.NewSharedIndexInformer(plainList{server.listWatch()}, obj, resync, indexers)
		},
	})
	return server.age(b, c, func(pod *corev1.Pod) { server.changes.Modify(decoded(pod)) })
}

// The caches that are read live as long as the process, since making them takes longer
// than reading them.
var (
	ourServing   = sync.OnceValue(func() served { return newServing(untilExit) })
	theirServing = sync.OnceValue(func() served { return newIncumbentServing(untilExit) })
)

// heapFor is the heap that both caches are given for so many Pods: what it grows to with
// controller-runtime's cache and GOGC=100, twice what lives, and some for the test.
func heapFor(pods int) uint64 { return 32<<10*uint64(pods) + 64<<20 }

// untilExit stands for a test that lasts until all others have ended.
var untilExit = &lastTest{}

type lastTest struct {
	testing.TB
	cleanups []func()
}

func (l *lastTest) Helper()                  {}
func (l *lastTest) Context() context.Context { return context.Background() }
func (l *lastTest) Cleanup(f func())         { l.cleanups = append(l.cleanups, f) }
func (l *lastTest) Error(args ...any)        { panic(fmt.Sprint(args...)) }
func (l *lastTest) Fatal(args ...any)        { panic(fmt.Sprint(args...)) }
func (l *lastTest) Fatalf(format string, args ...any) {
	panic(fmt.Sprintf(format, args...))
}

// Run runs the tests, and then ends with whatever was to end with the process.
func (l *lastTest) Run(m *testing.M) int {
	defer func() {
		for _, cleanup := range slices.Backward(l.cleanups) {
			cleanup()
		}
	}()
	return m.Run()
}

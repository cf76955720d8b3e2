package cache

import (
	"context"
	"net/http"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/api/objects"
	"github.com/delta-runtime/delta-runtime/internal/engine/store"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

var (
	podKind       = corev1.SchemeGroupVersion.WithKind("Pod")
	podListKind   = corev1.SchemeGroupVersion.WithKind("PodList")
	namespaceKind = corev1.SchemeGroupVersion.WithKind("Namespace")
)

// kinded is obj, as one of a kind.
func kinded[T runtime.Object](gvk schema.GroupVersionKind, obj T) T {
	obj.GetObjectKind().SetGroupVersionKind(gvk)
	return obj
}

func keyOf(obj any) delta.Key {
	key, err := objects.Key(obj)
	if err != nil {
		panic(err)
	}
	return key
}

// readTraits reads the metadata of objects.
var readTraits = store.Traits[any]{
	Version: func(obj any) string { return obj.(metav1.Object).GetResourceVersion() },
	UID:     func(obj any) string { return string(obj.(metav1.Object).GetUID()) },
	Labels:  func(obj any) map[string]string { return obj.(metav1.Object).GetLabels() },
}

// byField are field indexes by the name of the field.
type byField map[string]client.IndexerFunc

func (b byField) indexers() store.Indexers[any] {
	indexers := store.Indexers[any]{}
	for field, extract := range b {
		indexers[fieldIndexName(field)] = store.IndexFunc[any](fieldIndex(extract))
	}
	return indexers
}

func newTestReader(holds client.Object, fields byField) *reader {
	r := &reader{
		gvk: podKind, scope: meta.RESTScopeNameNamespace,
		store:  store.New(readTraits, fields.indexers()),
		copies: func(string) bool { return true }, syncedIn: func(string) error { return nil }, syncedEverywhere: func() error { return nil },
	}
	if _, ok := holds.(*corev1.Namespace); ok {
		r.gvk, r.scope = namespaceKind, meta.RESTScopeNameRoot
	}
	return r
}

// put stores objects in one commit.
func put[T client.Object](r *reader, objs ...T) {
	txn := r.store.Begin(len(objs))
	for _, obj := range objs {
		txn.Put(keyOf(obj), obj)
	}
	txn.Commit("1")
}

// incumbent is controller-runtime's cache without a server: unless a test has informers
// of its own they hear of nothing, and it writes what they would have heard of into
// their indexers.
type incumbent struct {
	crcache.Cache
	indexer toolscache.Indexer // of the informer made last
}

// disconnectedInformer is synced from the start.
type disconnectedInformer struct{ toolscache.SharedIndexInformer }

func (disconnectedInformer) RunWithContext(ctx context.Context) { <-ctx.Done() }
func (disconnectedInformer) HasSynced() bool                    { return true }

// newIncumbent returns a running cache that has one informer, of the type of obj,
// with field indexes.
func newIncumbent(tb testing.TB, holds client.Object, fields byField, opts crcache.Options) *incumbent {
	tb.Helper()
	in := new(incumbent)
	mapper := meta.NewDefaultRESTMapper([]schema.GroupVersion{corev1.SchemeGroupVersion})
	mapper.Add(podKind, meta.RESTScopeNamespace)
	mapper.Add(namespaceKind, meta.RESTScopeRoot)
	opts.Scheme, opts.Mapper, opts.HTTPClient = scheme.Scheme, mapper, http.DefaultClient
	if opts.NewInformer == nil {
		opts.NewInformer = func(lw toolscache.ListerWatcher, obj runtime.Object, resync time.Duration, indexers toolscache.Indexers) toolscache.SharedIndexInformer {
			informer := toolscache.NewSharedIndexInformer(lw, obj, resync, indexers)
			in.indexer = informer.GetIndexer()
			return disconnectedInformer{informer}
		}
	}
	var err error
	if in.Cache, err = crcache.New(&rest.Config{}, opts); err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := in.GetInformer(ctx, holds, crcache.BlockUntilSynced(false)); err != nil {
		tb.Fatal(err)
	}
	for field, extract := range fields {
		if err := in.IndexField(ctx, holds, field, extract); err != nil {
			tb.Fatal(err)
		}
	}
	ended := make(chan error, 1)
	go func() { ended <- in.Start(ctx) }()
	if !in.WaitForCacheSync(ctx) {
		tb.Fatal("controller-runtime's cache does not start")
	}
	tb.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			tb.Error(err)
		}
	})
	return in
}

// A representation is one of the ways in which a cache holds objects.
type representation struct {
	name    string
	of      func(*corev1.Pod) client.Object // in that way
	empty   func() client.Object
	newList func() client.ObjectList
}

var representations = []representation{
	{
		name:    "typed",
		of:      func(pod *corev1.Pod) client.Object { return pod },
		empty:   func() client.Object { return new(corev1.Pod) },
		newList: func() client.ObjectList { return new(corev1.PodList) },
	},
	{
		name: "unstructured",
		of: func(pod *corev1.Pod) client.Object {
			content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(pod)
			if err != nil {
				panic(err)
			}
			return kinded(podKind, &unstructured.Unstructured{Object: content})
		},
		empty:   func() client.Object { return kinded(podKind, &unstructured.Unstructured{}) },
		newList: func() client.ObjectList { return kinded(podListKind, &unstructured.UnstructuredList{}) },
	},
	{
		name: "metadata",
		of: func(pod *corev1.Pod) client.Object {
			return kinded(podKind, &metav1.PartialObjectMetadata{ObjectMeta: pod.ObjectMeta})
		},
		empty:   func() client.Object { return kinded(podKind, &metav1.PartialObjectMetadata{}) },
		newList: func() client.ObjectList { return kinded(podListKind, &metav1.PartialObjectMetadataList{}) },
	},
}

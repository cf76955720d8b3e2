package source_test

import (
	"context"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
	fakeapi "k8s.io/client-go/tools/cache/testing"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/cache/informertest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllertest"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/source"
	ourcache "github.com/delta-runtime/delta-runtime/pkg/toolscache"
)

// podsFrom returns a cache whose pods come from this informer. Yours is mgr.GetCache().
func podsFrom(pods toolscache.SharedIndexInformer) *informertest.FakeInformers {
	kind := corev1.SchemeGroupVersion.WithKind("Pod")
	return &informertest.FakeInformers{InformersByGVK: map[schema.GroupVersionKind]toolscache.SharedIndexInformer{kind: pods}}
}

// watch does what a controller does: it starts a source and waits until the source is synced.
// Then it runs do, and prints the requests in the queue.
func watch(s ctrlsource.SyncingSource, do func()) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	q := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	if err := s.Start(ctx, q); err != nil {
		panic(err)
	}
	if err := s.WaitForSync(ctx); err != nil {
		panic(err)
	}
	do()
	q.ShutDown()
	for {
		next, empty := q.Get()
		if empty {
			return
		}
		fmt.Println("queued", next)
	}
}

func ExampleNewKind() {
	pods := controllertest.NewFakeInformer(controllertest.Synced)
	s := source.NewKind(podsFrom(pods), client.Object(&corev1.Pod{}), &handler.EnqueueRequestForObject{})
	watch(s, func() { pods.Add(pod("web", "1")) })
	// Output: queued team/web
}

func ExampleNewTypedKind() {
	pods := controllertest.NewFakeInformer(controllertest.Synced)
	s := source.NewTypedKind(podsFrom(pods), &corev1.Pod{}, handler.TypedFuncs[*corev1.Pod, reconcile.Request]{
		CreateFunc: func(_ context.Context, e event.TypedCreateEvent[*corev1.Pod], _ workqueue.TypedRateLimitingInterface[reconcile.Request]) {
			fmt.Println("version", e.Object.Labels["version"])
		},
	})
	watch(s, func() { pods.Add(pod("web", "1")) })
	// Output: version 1
}

func ExampleNewEventHandler() {
	q := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	defer q.ShutDown()
	h := source.NewEventHandler[client.Object, reconcile.Request](context.Background(), q, &handler.EnqueueRequestForObject{}, nil)
	h.OnAdd(pod("web", "1"), false)
	fmt.Println(q.Len())
	// Output: 1
}

func ExampleNewDeltas() {
	server := fakeapi.NewFakeControllerSource() // yours is an API server
	defer server.Shutdown()
	server.Add(pod("web", "1"))
	pods := ourcache.NewSharedIndexInformer(server, &corev1.Pod{}, 0, toolscache.Indexers{})
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { pods.RunWithContext(ctx) })

	s := source.NewDeltas(podsFrom(pods), &corev1.Pod{}, func(_ context.Context, d delta.Delta[client.Object], q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
		fmt.Println(d.Op, d.Key, "initial:", d.Initial)
		q.Add(reconcile.Request{NamespacedName: client.ObjectKeyFromObject(d.Object())})
	}, informer.SubscribeOptions{Name: "web"})
	watch(s, func() {})

	stop()
	running.Wait()
	// Output:
	// Added team/web initial: true
	// queued team/web
}

func ExampleChannel() {
	events := make(chan event.GenericEvent, 1)
	events <- event.GenericEvent{Object: pod("web", "1")}
	close(events)
	q := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	defer q.ShutDown()
	s := source.Channel(events, &handler.EnqueueRequestForObject{})
	if err := s.Start(context.Background(), q); err != nil {
		panic(err)
	}
	next, _ := q.Get()
	fmt.Println(next)
	// Output: team/web
}

func ExampleTypedChannel() {
	names := make(chan event.TypedGenericEvent[string], 1)
	names <- event.TypedGenericEvent[string]{Object: "web"}
	close(names)
	q := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	defer q.ShutDown()
	s := source.TypedChannel(names, handler.TypedFuncs[string, string]{
		GenericFunc: func(_ context.Context, e event.TypedGenericEvent[string], q workqueue.TypedRateLimitingInterface[string]) {
			q.Add(e.Object)
		},
	})
	if err := s.Start(context.Background(), q); err != nil {
		panic(err)
	}
	fmt.Println(q.Get())
	// Output: web false
}

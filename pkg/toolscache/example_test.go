package toolscache_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/pkg/toolscache"
)

func pod(name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name}}
}

// pods is an API with pods of these names, on which nothing happens.
type pods []string

func (p pods) List(metav1.ListOptions) (runtime.Object, error) {
	list := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "7"}}
	for _, name := range p {
		list.Items = append(list.Items, *pod(name))
	}
	return list, nil
}

func (pods) Watch(metav1.ListOptions) (watch.Interface, error) { return watch.NewFake(), nil }

// IsWatchListSemanticsUnSupported has everybody list, as this watch brings nothing.
func (pods) IsWatchListSemanticsUnSupported() bool { return true }

func name(obj any) string {
	about, err := meta.Accessor(obj)
	if err != nil {
		panic(err)
	}
	return about.GetName()
}

// printing is a handler that prints what it is told.
func printing() cache.ResourceEventHandler {
	return cache.ResourceEventHandlerDetailedFuncs{
		AddFunc:    func(obj any, initial bool) { fmt.Println("added", name(obj), "initial:", initial) },
		UpdateFunc: func(_, obj any) { fmt.Println("updated", name(obj)) },
		DeleteFunc: func(obj any) { fmt.Println("deleted", name(obj)) },
	}
}

// during runs something while what it needs runs in the background.
func during(run, do func(context.Context)) {
	g := lifecycle.New(context.Background())
	g.Go("run", func(ctx context.Context) error {
		run(ctx)
		return nil
	})
	do(context.Background())
	g.Stop()
	_ = g.Wait()
}

func ExampleNewSharedIndexInformer() {
	web := toolscache.NewSharedIndexInformer(pods{"web"}, &corev1.Pod{}, 0,
		cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	handle, err := web.AddEventHandler(printing())
	if err != nil {
		panic(err)
	}
	during(web.RunWithContext, func(ctx context.Context) {
		cache.WaitFor(ctx, "", handle.HasSyncedChecker())
		keys, err := web.GetIndexer().IndexKeys(cache.NamespaceIndex, "team")
		fmt.Println(keys, err)
	})
	// Output:
	// added web initial: true
	// [team/web] <nil>
}

func ExampleNewSharedIndexInformerWithOptions() {
	web := toolscache.NewSharedIndexInformerWithOptions(pods{}, &corev1.Pod{},
		cache.SharedIndexInformerOptions{ObjectDescription: "pods of the team"})
	fmt.Println(web.HasSyncedChecker().Name())
	// Output: SharedIndexInformer pods of the team
}

func ExampleNewSharedInformer() {
	web := toolscache.NewSharedInformer(pods{"web"}, &corev1.Pod{}, 0)
	during(web.RunWithContext, func(ctx context.Context) {
		cache.WaitFor(ctx, "", web.HasSyncedChecker())
		fmt.Println(web.GetStore().ListKeys())
	})
	// Output: [team/web]
}

func ExampleSharedInformer() {
	web := toolscache.NewSharedIndexInformer(pods{"web"}, &corev1.Pod{}, 0, nil)
	fmt.Println(web.(toolscache.SharedInformer).Status().Reflector.Why)
	// Output: *v1.Pod has not been started
}

func ExampleNewInformer() {
	store, web := toolscache.NewInformer(pods{"web"}, &corev1.Pod{}, 0, printing())
	during(web.RunWithContext, func(ctx context.Context) {
		cache.WaitFor(ctx, "", web.HasSyncedChecker())
		fmt.Println(store.ListKeys())
	})
	// Output:
	// added web initial: true
	// [team/web]
}

func ExampleNewTransformingInformer() {
	shout := func(obj any) (any, error) {
		p, ok := obj.(*corev1.Pod)
		if !ok {
			return obj, nil
		}
		p.Name = strings.ToUpper(p.Name)
		return p, nil
	}
	_, web := toolscache.NewTransformingInformer(pods{"web"}, &corev1.Pod{}, 0, printing(), shout)
	during(web.RunWithContext, func(ctx context.Context) {
		cache.WaitFor(ctx, "", web.HasSyncedChecker())
	})
	// Output: added WEB initial: true
}

func ExampleNewDeltaFIFOWithOptions() {
	fifo := toolscache.NewDeltaFIFOWithOptions(toolscache.DeltaFIFOOptions{})
	web := pod("web")
	if err := errors.Join(fifo.Add(web), fifo.Add(pod("db")), fifo.Update(web)); err != nil {
		panic(err)
	}
	_, err := fifo.Pop(func(obj any, _ bool) error {
		for _, d := range obj.(cache.Deltas) {
			fmt.Println(d.Type, name(d.Object))
		}
		return nil
	})
	fmt.Println(err, fifo.ListKeys())
	// Output:
	// Added web
	// Updated web
	// <nil> [team/db]
}

func ExampleNew() {
	c := toolscache.New(&cache.Config{
		Queue:         toolscache.NewDeltaFIFOWithOptions(toolscache.DeltaFIFOOptions{}),
		ListerWatcher: pods{"web"},
		ObjectType:    &corev1.Pod{},
		Process: func(obj any, _ bool) error {
			fmt.Println("processed", name(obj.(cache.Deltas).Newest().Object))
			return nil
		},
	})
	during(c.RunWithContext, func(ctx context.Context) {
		cache.WaitFor(ctx, "", c.HasSyncedChecker())
	})
	// Output: processed web
}

func ExampleNewReflectorWithOptions() {
	r := toolscache.NewReflectorWithOptions(pods{"web"}, &corev1.Pod{},
		toolscache.NewStore(cache.MetaNamespaceKeyFunc), toolscache.ReflectorOptions{Name: "pods-of-the-team"})
	fmt.Println(r.Name(), r.TypeDescription())
	// Output: pods-of-the-team *v1.Pod
}

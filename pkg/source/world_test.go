package source_test

import (
	"context"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
	fakeapi "k8s.io/client-go/tools/cache/testing"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache/informertest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/testing/informers"
	ourcache "github.com/delta-runtime/delta-runtime/pkg/toolscache"
)

// The types of a controller of pods.
type (
	request = reconcile.Request
	queue   = workqueue.TypedRateLimitingInterface[request]
	funcs   = handler.TypedFuncs[*corev1.Pod, request]
)

var podKind = corev1.SchemeGroupVersion.WithKind("Pod")

// pod has a version label, so that its states can be told apart.
func pod(name, version string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name, Labels: map[string]string{"version": version}}}
}

// newQueue is a queue that is gone at the end of the test.
func newQueue(t *testing.T) queue {
	t.Helper()
	q := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[request]())
	t.Cleanup(q.ShutDown)
	return q
}

// holding is a cache in which pods have this informer.
func holding(i toolscache.SharedIndexInformer) *informertest.FakeInformers {
	return &informertest.FakeInformers{InformersByGVK: map[schema.GroupVersionKind]toolscache.SharedIndexInformer{podKind: i}}
}

// flaky is a cache that gives an informer only when before allows it.
type flaky struct {
	cache.Cache
	before func(ctx context.Context) error
}

func (f *flaky) GetInformer(ctx context.Context, obj client.Object, opts ...cache.InformerGetOption) (cache.Informer, error) {
	if err := f.before(ctx); err != nil {
		return nil, err
	}
	return f.Cache.GetInformer(ctx, obj, opts...)
}

// api is a fake API server, with which one lists before one watches.
type api struct{ *fakeapi.FakeControllerSource }

func (api) IsWatchListSemanticsUnSupported() bool { return true }

// newInformer is an informer of ours for the API's pods.
func newInformer(server api) informers.Informer {
	return ourcache.NewSharedIndexInformer(server, &corev1.Pod{}, 0, toolscache.Indexers{}).(informers.Informer)
}

// inBubble runs a test against an API, with time that costs nothing. What run
// starts is over when it returns.
func inBubble(t *testing.T, do func(t *testing.T, server api, run func(func(context.Context)))) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		server := api{fakeapi.NewFakeControllerSource()}
		tasks := lifecycle.New(t.Context())
		do(t, server, func(task func(context.Context)) {
			tasks.Guest("background", task)
			synctest.Wait() // else what is changed between an empty list and its watch costs a relist, and its pause
		})
		tasks.Stop()
		if err := tasks.Wait(); err != nil {
			t.Error(err)
		}
		server.Shutdown()
	})
}

// started starts a source that is to start.
func started(t *testing.T, ctx context.Context, s ctrlsource.Source, q queue) { //nolint:revive // t comes first in a test
	t.Helper()
	if err := s.Start(ctx, q); err != nil {
		t.Fatalf("Start returned %v", err)
	}
}

// recording is a handler that writes down what it is told, one word for each event.
func recording(note func(string)) funcs {
	return funcs{
		CreateFunc: func(_ context.Context, e event.TypedCreateEvent[*corev1.Pod], _ queue) {
			if e.IsInInitialList {
				note("initial " + e.Object.Name)
				return
			}
			note("create " + e.Object.Name)
		},
		UpdateFunc: func(_ context.Context, e event.TypedUpdateEvent[*corev1.Pod], _ queue) {
			note("update " + e.ObjectNew.Name + " " + e.ObjectOld.Labels["version"] + "→" + e.ObjectNew.Labels["version"])
		},
		DeleteFunc: func(_ context.Context, e event.TypedDeleteEvent[*corev1.Pod], _ queue) {
			if e.DeleteStateUnknown {
				note("gone " + e.Object.Name)
				return
			}
			note("delete " + e.Object.Name)
		},
	}
}

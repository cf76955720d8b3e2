package source_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	fakeapi "k8s.io/client-go/tools/cache/testing"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache/informertest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllertest"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	ledgers "github.com/delta-runtime/delta-runtime/internal/ledger"
	recordings "github.com/delta-runtime/delta-runtime/internal/ledger/recording"
	"github.com/delta-runtime/delta-runtime/internal/testing/informers"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/source"
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

type podObject = corev1.Pod

func namespacedName(name string) types.NamespacedName {
	return types.NamespacedName{Namespace: "team", Name: name}
}

func newFakeInformer() *controllertest.FakeInformer {
	return controllertest.NewFakeInformer(controllertest.Synced)
}

// ledgered is a source of pods with a ledger. The pods are the primary objects.
func ledgered(from cache.Cache, ledger *delta.Ledger[request], tell handler.TypedEventHandler[*podObject, request]) *source.Kind[*podObject, request] {
	return &source.Kind[*podObject, request]{
		Type: &podObject{}, Cache: from, Handler: tell, Ledger: ledger, Cause: delta.Primary, GVK: podKind,
	}
}

// recorded is a source whose controller's queue records, as that of a controller with a ledger.
type recorded struct {
	ctrlsource.Source
	ledger *delta.Ledger[request]
}

func (s recorded) Start(ctx context.Context, q queue) error {
	return s.Source.Start(ctx, recordings.NewQueue(q, recordings.Reason[request]{Ledger: s.ledger, Change: delta.Change{Cause: delta.External}}))
}

func (s recorded) WaitForSync(ctx context.Context) error {
	return s.Source.(ctrlsource.SyncingSource).WaitForSync(ctx)
}

func asked(name string) request {
	return request{NamespacedName: namespacedName(name)}
}

func forPods() handler.TypedEventHandler[*podObject, request] {
	return &handler.TypedEnqueueRequestForObject[*podObject]{}
}

// startedSynced starts a source and waits until it has synced.
func startedSynced(t *testing.T, s ctrlsource.SyncingSource, q queue) {
	t.Helper()
	syncedIn(t, t.Context(), s, q)
}

func syncedIn(t *testing.T, ctx context.Context, s ctrlsource.SyncingSource, q queue) { //nolint:revive // t comes first in a test
	t.Helper()
	started(t, ctx, s, q)
	must(t, s.WaitForSync(ctx))
}

// told takes the changes of a request from a ledger, and describes them in words.
func told(ledger *delta.Ledger[request], name string) string {
	changes := ledger.Clerk().Take(asked(name))
	defer ledger.Clerk().Settle(asked(name), ledgers.Succeeded)
	var words []string
	for c := range changes.All() {
		about := c.Cause.String() + " " + c.Op.String() + " "
		if c.Old != nil {
			about += c.Old.GetLabels()["version"]
		}
		about += "→"
		if c.New != nil {
			about += c.New.GetLabels()["version"]
		}
		if c.Missed {
			about += " missed"
		}
		if c.Relisted {
			about += " relisted"
		}
		words = append(words, about)
	}
	if !changes.Complete() {
		words = append(words, "incomplete")
	}
	return strings.Join(words, ", ")
}

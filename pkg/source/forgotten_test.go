//go:build slow

package source_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/informers"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// Namespaces come and go with objects of their own, and nobody is told of the end of these.
// The notes about them go as well.
func TestObjectsOfNamespacesThatAreGoneAreForgotten(t *testing.T) {
	const rounds, each, most = 14, 5000, 3 << 20
	var namespace string
	list := func(n int) toolscache.ListerWatcher {
		return &toolscache.ListWatch{
			ListWithContextFunc: func(context.Context, metav1.ListOptions) (apiruntime.Object, error) {
				list := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}}
				for i := range n {
					p := pod(fmt.Sprint(namespace, i), "1")
					p.Namespace, p.ResourceVersion = namespace, "1"
					list.Items = append(list.Items, *p)
				}
				return list, nil
			},
			WatchFuncWithContext: func(context.Context, metav1.ListOptions) (apiwatch.Interface, error) { return apiwatch.NewFake(), nil },
		}
	}
	pods, err := informers.New(informers.Config{
		Kind: "pods", Example: &corev1.Pod{}, Reflector: informer.Settings{Lists: informer.PagesOnly},
		Scopes: []informers.Scope{{Namespace: "always", ListerWatcher: list(0)}},
	})
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); pods.RunWithContext(ctx) }()
	defer func() { cancel(); <-done }()
	shown := make(chan struct{}, rounds*each)
	ledger := delta.NewLedger[request](delta.LedgerOptions{})
	startedSynced(t, ledgered(holding(pods), ledger, handler.TypedEnqueueRequestsFromMapFunc(func(context.Context, *podObject) []request {
		shown <- struct{}{}
		return []request{asked("web")}
	})), newQueue(t))
	heap := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc) //nolint:gosec // small
	}
	var before int64
	for round := range rounds {
		if namespace = fmt.Sprint("n", round); round == 2 {
			before = heap()
		}
		must(t, pods.Core().AddScope(informers.Of(informers.Scope{Namespace: namespace, ListerWatcher: list(each)}, &corev1.Pod{})))
		for range each {
			<-shown
		}
		take(ledger, "web")
		must(t, pods.Core().RemoveScope(namespace, informer.Silently))
		await.Until(t, "the pods to be gone", func() bool { return len(pods.GetStore().ListKeys()) == 0 })
	}
	if grown := heap() - before; grown > most {
		t.Errorf("%d namespaces of %d pods have come and gone, and the heap has %d KB more", rounds-2, each, grown>>10)
	}
}

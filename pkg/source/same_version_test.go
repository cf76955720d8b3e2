package source_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/delta-runtime/delta-runtime/internal/testing/informers"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	drpredicate "github.com/delta-runtime/delta-runtime/pkg/predicate"
)

// Some aggregated APIs change objects without giving them new versions.
func TestAnObjectThatChangesWithoutANewVersionIsTouched(t *testing.T) {
	at := func(label, node string) *podObject {
		p := pinned(label, node)
		p.ResourceVersion, p.UID = "7", "uid"
		return p
	}
	for name, predicates := range map[string][]predicate.TypedPredicate[*podObject]{
		"all": nil, "but resyncs": {drpredicate.TypedNotResync[*podObject]()},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, _ api, run func(func(context.Context))) {
				server := apiwatch.NewFakeWithOptions(apiwatch.FakeOptions{ChannelSize: 10})
				pods, err := informers.New(informers.Config{
					Kind: "pods", Example: &corev1.Pod{}, Reflector: informer.Settings{Lists: informer.PagesOnly},
					Scopes: []informers.Scope{{ListerWatcher: &toolscache.ListWatch{
						ListWithContextFunc: func(context.Context, metav1.ListOptions) (runtime.Object, error) {
							return &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "7"}, Items: []corev1.Pod{*at("1", "one")}}, nil
						},
						WatchFuncWithContext: func(context.Context, metav1.ListOptions) (apiwatch.Interface, error) { return server, nil },
					}}},
				})
				if err != nil {
					t.Fatal(err)
				}
				run(pods.RunWithContext)
				ledger, q := delta.NewLedger[request](delta.LedgerOptions{}), newQueue(t)
				k := ledgered(holding(pods), ledger, forPods())
				k.Predicates = predicates
				startedSynced(t, k, q)
				take(ledger, "web")
				item, _ := q.Get()
				q.Done(item)
				server.Modify(at("2", "one"))
				server.Modify(at("2", "two"))
				time.Sleep(time.Second)
				synctest.Wait()
				if got := take(ledger, "web"); q.Len() != 1 || !got.Complete() || !got.Touches("spec.nodeName") || !got.Touches("metadata.labels") {
					t.Errorf("%d requests were made, and told of %s", q.Len(), got)
				}
			})
		})
	}
}

package source_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// TestPredicatesAndTypesAreAsWithoutALedger compares what a handler is told with a ledger and
// without one, also if it panics.
func TestPredicatesAndTypesAreAsWithoutALedger(t *testing.T) {
	outlivePanics(t)
	inBubble(t, func(t *testing.T, server api, run func(func(context.Context))) {
		pods := newInformer(server)
		server.Add(pod("web", "1"))
		server.Add(&corev1.Secret{ObjectMeta: pod("secret", "1").ObjectMeta})
		run(pods.RunWithContext)
		var words [2][]string
		for n, ledger := range []*delta.Ledger[request]{nil, delta.NewLedger[request](delta.LedgerOptions{})} {
			note := recording(func(what string) {
				words[n] = append(words[n], time.Now().Format("04:05 ")+what)
				if strings.Contains(what, "panic") {
					panic("as the test wants it")
				}
			})
			k := ledgered(holding(pods), ledger, note)
			k.Predicates = []predicate.TypedPredicate[*podObject]{predicate.TypedFuncs[*podObject]{
				UpdateFunc: func(e event.TypedUpdateEvent[*podObject]) bool { return e.ObjectNew.Labels["version"] != "hidden" },
			}}
			startedSynced(t, k, newQueue(t))
		}
		for _, version := range []string{"2", "hidden", "panic", "3"} {
			server.Modify(pod("web", version))
		}
		synctest.Wait()
		server.DeleteDropWatch(pod("web", "3"))
		server.ResetWatch()
		time.Sleep(time.Minute)
		synctest.Wait()
		if !slices.Equal(words[0], words[1]) || len(words[0]) < 5 {
			t.Errorf("without a ledger the handler was told\n%q, with one\n%q", words[0], words[1])
		}
	})
}

// TestWithoutALedgerTheQueueIsTheControllers looks at a source that only has a policy.
func TestWithoutALedgerTheQueueIsTheControllers(t *testing.T) {
	inBubble(t, func(t *testing.T, server api, run func(func(context.Context))) {
		pods := newInformer(server)
		server.Add(pod("web", "1"))
		run(pods.RunWithContext)
		q := newQueue(t)
		calls := 0
		note := func(got queue) {
			calls++
			if got != q {
				t.Errorf("the handler was given a %T", got)
			}
		}
		k := ledgered(holding(pods), nil, funcs{
			CreateFunc: func(_ context.Context, _ event.TypedCreateEvent[*podObject], q queue) { note(q) },
			UpdateFunc: func(_ context.Context, _ event.TypedUpdateEvent[*podObject], q queue) { note(q) },
		})
		k.Resync = resync.Policy{Period: time.Hour}
		startedSynced(t, k, q)
		time.Sleep(time.Hour + time.Minute)
		synctest.Wait()
		if calls != 2 {
			t.Errorf("the handler was called %d times, want twice: for the pod and for its resync", calls)
		}
	})
}

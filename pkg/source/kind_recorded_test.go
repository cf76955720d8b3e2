package source_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/delta-runtime/delta-runtime/internal/testing/informers"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/queue/ctrlqueue"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
	"github.com/delta-runtime/delta-runtime/pkg/source"
)

// TestKindTellsTheLedger follows a pod through an informer of ours.
func TestKindTellsTheLedger(t *testing.T) {
	inBubble(t, func(t *testing.T, server api, run func(func(context.Context))) {
		pods := newInformer(server)
		server.Add(pod("web", "1"))
		run(pods.RunWithContext)
		ledger := delta.NewLedger[request](delta.LedgerOptions{})
		k := ledgered(holding(pods), ledger, forPods())
		k.Name = "pods: v1 Pod"
		ctx, stop := context.WithCancel(t.Context())
		syncedIn(t, ctx, k, newQueue(t))
		expect := func(want string) {
			t.Helper()
			if got := told(ledger, "web"); got != want {
				t.Errorf("the ledger has %q, want %q", got, want)
			}
		}
		expect("InitialList Added →1, incomplete")
		server.Modify(pod("web", "2"))
		synctest.Wait()
		expect("Primary Updated 1→2")
		server.Modify(pod("web", "3"))
		server.Modify(pod("web", "4"))
		synctest.Wait()
		expect("Primary Updated 2→4")
		server.ModifyDropWatch(pod("web", "5"))
		server.ResetWatch()
		time.Sleep(time.Minute)
		expect("Primary Updated 4→5 relisted")
		server.DeleteDropWatch(pod("web", "5"))
		server.ResetWatch()
		time.Sleep(time.Minute)
		expect("Primary Deleted 5→ missed")
		server.Add(pod("web", "6"))
		synctest.Wait()
		expect("Primary Added →6")
		server.Delete(pod("web", "7"))
		synctest.Wait()
		expect("Primary Deleted 6→7")
		if names := pods.Core().Status().Subscribers; len(names) != 1 || names[0].Name != k.Name {
			t.Errorf("the subscribers are %+v", names)
		}
		stop()
		synctest.Wait()
		if n := len(pods.Core().Status().Subscribers); n != 0 {
			t.Errorf("the informer has %d subscriptions when the source has ended", n)
		}
	})
}

// TestResyncOfAKind resyncs a source by a policy. The resync has the low priority of
// controller-runtime's handlers, and leaves out objects that were reconciled lately.
func TestResyncOfAKind(t *testing.T) {
	inBubble(t, func(t *testing.T, server api, run func(func(context.Context))) {
		pods := newInformer(server)
		server.Add(pod("busy", "1"))
		server.Add(pod("idle", "1"))
		run(pods.RunWithContext)
		q := ctrlqueue.New[request]("")
		defer q.ShutDown()
		ledger := delta.NewLedger[request](delta.LedgerOptions{})
		k := ledgered(holding(pods), ledger, handler.WithLowPriorityWhenUnchanged(forPods()))
		k.Resync = resync.Policy{Period: time.Hour, OnlyIfNotReconciledFor: 30 * time.Minute}
		startedSynced(t, k, q)
		for range 2 {
			item, priority, _ := q.GetWithPriority()
			if priority != handler.LowPriority {
				t.Errorf("%s of the first list has priority %d", item, priority)
			}
			told(ledger, item.Name)
			q.Done(item)
		}
		time.Sleep(50 * time.Minute)
		server.Modify(pod("busy", "2"))
		synctest.Wait()
		item, priority, _ := q.GetWithPriority()
		if got := told(ledger, item.Name); got != "Primary Updated 1→2" || priority != 0 {
			t.Errorf("an update has priority %d, and the ledger %q", priority, got)
		}
		q.Done(item)
		time.Sleep(20 * time.Minute)
		if n := q.Len(); n != 1 {
			t.Fatalf("after the resync %d requests are queued, want only the one that was not reconciled lately", n)
		}
		item, priority, _ = q.GetWithPriority()
		if got := told(ledger, item.Name); item.Name != "idle" || priority != handler.LowPriority || got != "Resync Sync 1→1" {
			t.Errorf("%s was resynced at priority %d, and the ledger has %q", item.Name, priority, got)
		}
		q.Done(item)
	})
}

// TestAForeignInformerIsRecordedAsWellAsItCanBe follows a pod through client-go's informer.
func TestAForeignInformerIsRecordedAsWellAsItCanBe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pods := newFakeInformer()
		ledger := delta.NewLedger[request](delta.LedgerOptions{KindOf: func(delta.Object) (schema.GroupVersionKind, error) { return podKind, nil }})
		k := ledgered(holding(pods), ledger, forPods())
		k.Resync.Period = time.Hour
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		q := newQueue(t)
		syncedIn(t, ctx, k, q)
		with := func(version, resourceVersion string) *podObject {
			p := pod("web", version)
			p.ResourceVersion = resourceVersion
			return p
		}
		for _, step := range []struct {
			do   func()
			want string
		}{
			{func() { pods.Add(with("1", "1")) }, "Primary Added →1, incomplete"},
			{func() { pods.Update(with("1", "1"), with("2", "2")) }, "Primary Updated 1→2, incomplete"},
			// In a resync client-go's informers show one object twice, and in a relist the new one.
			{func() { same := with("2", "2"); pods.Update(same, same) }, "Resync Sync 2→2, incomplete"},
			{func() { pods.Update(with("2", "2"), with("2", "2")) }, "Relist Sync 2→2, incomplete"},
			{func() { pods.Delete(with("2", "3")) }, "Primary Deleted 2→2, incomplete"},
		} {
			step.do()
			if got := told(ledger, "web"); got != step.want {
				t.Errorf("the ledger has %q, want %q", got, step.want)
			}
		}
		if why := ledger.Status().Blind; !strings.Contains(why, "FakeInformer") {
			t.Errorf("the ledger is blind because %q", why)
		}
		if why := ledger.Clerk().Waiting(asked("web")).Of(&podObject{}).Incomplete(); why != "" {
			t.Errorf("the kind is watched, and of its changes is said: %s", why)
		}
	})
}

// TestGapsAreNoticed has events that no handler is told.
func TestGapsAreNoticed(t *testing.T) {
	reportErrorsAtOnce(t)
	inBubble(t, func(t *testing.T, server api, run func(func(context.Context))) {
		config := informers.Config{
			Kind: "pods", Example: &podObject{},
			Scopes: []informers.Scope{{Except: []string{"other"}, ListerWatcher: server}, {Namespace: "other", ListerWatcher: server}},
			Transform: func(obj any) (any, error) {
				if obj.(*podObject).Labels["version"] == "odd" {
					return nil, errors.New("as the test wants it")
				}
				return obj, nil
			},
			Reflector: informer.Settings{Lists: informer.PagesOnly},
		}
		pods, err := informers.New(config)
		must(t, err)
		run(pods.RunWithContext)
		ledger := delta.NewLedger[request](delta.LedgerOptions{})
		startedSynced(t, ledgered(holding(pods), ledger, forPods()), newQueue(t))
		next := 0
		change := func() string {
			next++
			server.Modify(pod("web", string(rune('a'+next))))
			synctest.Wait()
			return told(ledger, "web")
		}
		change()
		for what, miss := range map[string]func(){
			"an object was skipped": func() { server.Modify(pod("db", "odd")) },
			"a scope was removed": func() {
				if err := pods.Core().RemoveScope("other", informer.Silently); err != nil {
					t.Error(err)
				}
			},
		} {
			if got := change(); strings.Contains(got, "incomplete") {
				t.Errorf("before %s: %s", what, got)
			}
			miss()
			synctest.Wait()
			if got := change(); !strings.Contains(got, "incomplete") {
				t.Errorf("after %s: %s", what, got)
			}
		}
		if got := change(); strings.Contains(got, "incomplete") {
			t.Errorf("after the next success: %s", got)
		}
	})
}

// TestRecordedDeltas tells deltas to a function, with a ledger.
func TestRecordedDeltas(t *testing.T) {
	inBubble(t, func(t *testing.T, server api, run func(func(context.Context))) {
		pods := newInformer(server)
		run(pods.RunWithContext)
		ledger := delta.NewLedger[request](delta.LedgerOptions{})
		s := recorded{source.NewDeltas(holding(pods), &podObject{}, addForObject, informer.SubscribeOptions{}), ledger}
		startedSynced(t, s, newQueue(t))
		server.Add(pod("web", "1"))
		synctest.Wait()
		if got := told(ledger, "web"); got != "Mapped Added →1, incomplete" {
			t.Errorf("the ledger has %q", got)
		}
	})
}

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

package source_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache/informertest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/delta-runtime/delta-runtime/internal/testing/informers"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
	"github.com/delta-runtime/delta-runtime/pkg/source"
	"github.com/delta-runtime/delta-runtime/pkg/toolscache"
)

// inWords is what a delta says, with the version of the pod before and after.
func inWords(d delta.Delta[client.Object]) string {
	version := func(o client.Object) string {
		if o == nil {
			return "none"
		}
		return o.GetLabels()["version"]
	}
	words := fmt.Sprintf("%s %s %s→%s", d.Op, d.Key.Name, version(d.Old), version(d.New))
	if d.Initial {
		words += " initial"
	}
	if d.Missed {
		words += " missed"
	}
	return words
}

func ignore(context.Context, delta.Delta[client.Object], queue) {}

// TestDeltasTellWhatHappened follows pods until the context ends, through a deletion
// that the watch does not bring.
func TestDeltasTellWhatHappened(t *testing.T) {
	inBubble(t, func(t *testing.T, server api, run func(func(context.Context))) {
		pods := newInformer(server)
		server.Add(pod("web", "1"))
		run(pods.RunWithContext)

		ctx, stop := context.WithCancel(t.Context())
		var told []string
		var calls []context.Context
		q := newQueue(t)
		s := source.NewDeltas(holding(pods), &corev1.Pod{}, func(ctx context.Context, d delta.Delta[client.Object], to queue) {
			if to != q || ctx.Err() != nil || d.Version == "" || d.Seen.IsZero() {
				t.Errorf("told of %s with another queue, a dead context or an incomplete delta", d.Key)
			}
			told, calls = append(told, inWords(d)), append(calls, ctx)
		}, informer.SubscribeOptions{})
		syncedIn(t, ctx, s, q)
		if want := []string{"Added web none→1 initial"}; !slices.Equal(told, want) {
			t.Errorf("when it was synced it had told %q, want %q", told, want)
		}
		server.Modify(pod("web", "2"))
		synctest.Wait()
		server.DeleteDropWatch(pod("web", "2"))
		server.ResetWatch()
		time.Sleep(time.Minute) // for the list that follows
		stop()
		synctest.Wait()
		server.Add(pod("late", "1"))
		synctest.Wait()
		if want := []string{"Added web none→1 initial", "Updated web 1→2", "Deleted web 2→none missed"}; !slices.Equal(told, want) {
			t.Errorf("it told %q, want %q", told, want)
		}
		if n := len(pods.Core().Status().Subscribers); n != 0 {
			t.Errorf("the informer has %d subscriptions when the source has ended", n)
		}
		if slices.ContainsFunc(calls, func(ctx context.Context) bool { return ctx.Err() == nil }) {
			t.Error("the context of a call outlives it")
		}
	})
}

// TestDeltasSubscribeAsTold looks at what becomes of the options: who says nothing of a
// Period is resynced as the informer is, and who says never is not.
func TestDeltasSubscribeAsTold(t *testing.T) {
	inBubble(t, func(t *testing.T, server api, run func(func(context.Context))) {
		pods := toolscache.NewSharedIndexInformer(server, &corev1.Pod{}, 40*time.Minute, cache.Indexers{}).(informers.Informer)
		server.Add(pod("web", "1"))
		run(pods.RunWithContext)

		var told []string
		every, never := informer.SubscribeOptions{Resync: resync.Policy{Period: time.Hour}}, informer.SubscribeOptions{}
		every.Name, never.Name, never.Resync.Period = "hourly", "never", resync.Never
		for _, opts := range []informer.SubscribeOptions{every, {}, never} {
			s := source.NewDeltas(holding(pods), &corev1.Pod{}, func(_ context.Context, d delta.Delta[client.Object], _ queue) {
				told = append(told, opts.Name+": "+inWords(d))
			}, opts)
			startedSynced(t, s, newQueue(t))
		}
		time.Sleep(time.Hour + time.Minute)
		synctest.Wait()
		want := []string{
			"hourly: Added web none→1 initial", ": Added web none→1 initial", "never: Added web none→1 initial",
			": Sync web 1→1", "hourly: Sync web 1→1",
		}
		if !slices.Equal(told, want) {
			t.Errorf("told %q, want %q", told, want)
		}
		var names []string
		for _, l := range pods.Core().Status().Subscribers {
			names = append(names, l.Name)
		}
		if want := []string{"hourly", "delta source: *v1.Pod", "never"}; !slices.Equal(names, want) {
			t.Errorf("the subscribers are called %q, want %q", names, want)
		}
	})
}

func TestDeltasNeedAnInformerOfOurs(t *testing.T) {
	s := source.NewDeltas(&informertest.FakeInformers{}, &corev1.Pod{}, ignore, informer.SubscribeOptions{})
	started(t, t.Context(), s, newQueue(t))
	for range 2 {
		if err := s.WaitForSync(t.Context()); err == nil || !strings.Contains(err.Error(), "*controllertest.FakeInformer") {
			t.Errorf("over a foreign informer WaitForSync returned %v", err)
		}
	}
}

func TestDeltasRefuseToStartWithoutTheirParts(t *testing.T) {
	there, obj := &informertest.FakeInformers{}, &corev1.Pod{}
	for want, s := range map[string]ctrlsource.SyncingSource{
		"must create Deltas with a non-nil object":   source.NewDeltas(there, nil, ignore, informer.SubscribeOptions{}),
		"must create Deltas with a non-nil cache":    source.NewDeltas(nil, obj, ignore, informer.SubscribeOptions{}),
		"must create Deltas with a non-nil function": source.NewDeltas[request](there, obj, nil, informer.SubscribeOptions{}),
	} {
		if err := s.Start(t.Context(), nil); err == nil || err.Error() != want {
			t.Errorf("Start returned %v, want %s", err, want)
		}
	}
}

func addForObject(_ context.Context, d delta.Delta[client.Object], q queue) {
	q.Add(request{NamespacedName: client.ObjectKeyFromObject(d.Object())})
}

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
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache/informertest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllertest"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	"github.com/delta-runtime/delta-runtime/pkg/source"
)

func TestKindRefusesToStartWithoutItsParts(t *testing.T) {
	var (
		there       = &informertest.FakeInformers{}
		none        *informertest.FakeInformers
		noPod       *corev1.Pod
		noHandler   *handler.EnqueueRequestForObject
		someHandler = &handler.EnqueueRequestForObject{}
	)
	for _, c := range []struct {
		name string
		kind *source.Kind[client.Object, request]
		want string
	}{
		{"no type", &source.Kind[client.Object, request]{Cache: there, Handler: someHandler}, "must create Kind with a non-nil object"},
		{"nil type", &source.Kind[client.Object, request]{Type: noPod, Cache: there, Handler: someHandler}, "must create Kind with a non-nil object"},
		{"no cache", &source.Kind[client.Object, request]{Type: &corev1.Pod{}, Handler: someHandler}, "must create Kind with a non-nil cache"},
		{"nil cache", &source.Kind[client.Object, request]{Type: &corev1.Pod{}, Cache: none, Handler: someHandler}, "must create Kind with a non-nil cache"},
		{"no handler", &source.Kind[client.Object, request]{Type: &corev1.Pod{}, Cache: there}, "must create Kind with non-nil handler"},
		{"nil handler", &source.Kind[client.Object, request]{Type: &corev1.Pod{}, Cache: there, Handler: noHandler}, "must create Kind with non-nil handler"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := c.kind.Start(t.Context(), nil); err == nil || err.Error() != c.want {
				t.Errorf("Start returned %v, want %s", err, c.want)
			}
		})
	}
}

func TestKindSaysWhatItIs(t *testing.T) {
	deployment := schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
	loose, partial := &unstructured.Unstructured{}, &metav1.PartialObjectMetadata{}
	loose.SetGroupVersionKind(deployment)
	partial.SetGroupVersionKind(deployment)
	for want, obj := range map[string]client.Object{
		"kind source: unknown type": nil,
		"kind source: *v1.Pod":      &corev1.Pod{},
		"kind source: *unstructured.Unstructured[apps/v1 Deployment]": loose,
		"kind source: *v1.PartialObjectMetadata[apps/v1 Deployment]":  partial,
	} {
		if got := (&source.Kind[client.Object, request]{Type: obj}).String(); got != want {
			t.Errorf("it calls itself %q, want %q", got, want)
		}
	}
}

// TestKindIsAskedForAgain plays a kind whose CRD is installed late.
func TestKindIsAskedForAgain(t *testing.T) {
	for name, reason := range map[string]error{
		"missing":        &meta.NoKindMatchError{GroupKind: podKind.GroupKind()},
		"not registered": runtime.NewNotRegisteredErrForKind("test", podKind),
		"something else": errAway,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin, asked := time.Now(), []time.Duration(nil)
				late := &flaky{Cache: &informertest.FakeInformers{}, before: func(context.Context) error {
					asked = append(asked, time.Since(begin))
					if len(asked) < 9 {
						return reason
					}
					return nil
				}}
				s := source.NewKind(late, &corev1.Pod{}, funcs{})
				startedSynced(t, s, newQueue(t))
				want := []time.Duration{
					0, 250 * time.Millisecond, 750 * time.Millisecond, 1750 * time.Millisecond, 3750 * time.Millisecond,
					7750 * time.Millisecond, 15750 * time.Millisecond, 25750 * time.Millisecond, 35750 * time.Millisecond,
				}
				if !slices.Equal(asked, want) {
					t.Errorf("asked at %v, want %v", asked, want)
				}
			})
		})
	}
}

// TestWaitForSyncDoesNotPoll looks whether it returns at the very moment.
func TestWaitForSyncDoesNotPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const moment = 1234567891 * time.Nanosecond
		pods := controllertest.NewFakeInformer()
		s := source.NewKind(holding(pods), &corev1.Pod{}, funcs{})
		started(t, t.Context(), s, newQueue(t))
		time.AfterFunc(moment, pods.Synced)
		begin := time.Now()
		must(t, s.WaitForSync(t.Context()))
		if took := time.Since(begin); took != moment {
			t.Errorf("it returned after %v, want %v", took, moment)
		}
	})
}

var errAway = errors.New("the API server is away")

// stubborn is a cache that gives no informer.
func stubborn() ctrlcache.Cache {
	return &flaky{Cache: unsynced(), before: func(context.Context) error { return errAway }}
}

// silent is a cache that fails once, and does not answer after that.
func silent() ctrlcache.Cache {
	failed := false
	return &flaky{Cache: unsynced(), before: func(ctx context.Context) error {
		if failed {
			<-ctx.Done()
			return ctx.Err()
		}
		failed = true
		return errAway
	}}
}

// unsynced is a cache whose informer does not sync.
func unsynced() ctrlcache.Cache { return holding(controllertest.NewFakeInformer()) }

// TestWaitForSyncAnswersEveryTimeTheSame asks several times, with contexts that end
// otherwise than the source's.
func TestWaitForSyncAnswersEveryTimeTheSame(t *testing.T) {
	notSynced := false
	for _, c := range []struct {
		name string
		from func() ctrlcache.Cache
		want string
		is   error
	}{
		{name: "the cache does not sync", from: func() ctrlcache.Cache { return &informertest.FakeInformers{Synced: &notSynced} }, want: "cache did not sync"},
		{name: "the handler is not synced in time", from: unsynced, want: "timed out waiting for cache to be synced for kind source: *v1.Pod"},
		{name: "there is no informer in time", from: stubborn, want: "timed out waiting for cache to be synced for kind source: *v1.Pod: the API server is away", is: errAway},
		{name: "the API server is silent after an error", from: silent, want: "timed out waiting for cache to be synced for kind source: *v1.Pod: the API server is away", is: errAway},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := source.NewTypedKind(c.from(), &corev1.Pod{}, funcs{})
				started(t, t.Context(), s, newQueue(t))
				for range 3 {
					ctx, stop := context.WithTimeout(t.Context(), time.Minute)
					err := s.WaitForSync(ctx)
					stop()
					if err == nil || err.Error() != c.want || c.is != nil && !errors.Is(err, c.is) {
						t.Fatalf("WaitForSync returned %v, want %s", err, c.want)
					}
				}
			})
		})
	}
}

func TestWaitForSyncEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pods := controllertest.NewFakeInformer()
		var asked []context.Context
		s := source.NewKind(&flaky{Cache: holding(pods), before: func(ctx context.Context) error {
			asked = append(asked, ctx)
			return nil
		}}, &corev1.Pod{}, funcs{})
		started(t, t.Context(), s, newQueue(t))
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, stop)
		if err := s.WaitForSync(ctx); err != nil {
			t.Errorf("a caller that stops waiting is told %v", err)
		}
		if len(asked) != 1 || asked[0].Err() == nil {
			t.Error("the source goes on although its controller has given up")
		}
		if err := s.WaitForSync(ctx); err != nil {
			t.Errorf("a caller that stopped waiting is told %v when it asks again", err)
		}
		if err := s.WaitForSync(t.Context()); err == nil {
			t.Error("a source that was given up says that it is synced")
		}
	})
}

func TestSourceEndsWithItsContext(t *testing.T) {
	blocked := func() ctrlcache.Cache {
		return &flaky{Cache: &informertest.FakeInformers{}, before: func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}}
	}
	for _, c := range []struct {
		name string
		from func() ctrlcache.Cache
		want string
	}{
		{name: "while there is no informer", from: stubborn, want: "failed to get informer from cache: the API server is away"},
		{name: "while the cache is asked", from: blocked, want: "failed to get informer from cache: context canceled"},
		{name: "while the handler is not synced", from: unsynced, want: "handler did not sync"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := source.NewTypedKind(c.from(), &corev1.Pod{}, funcs{})
				ctx, stop := context.WithCancel(t.Context())
				started(t, ctx, s, newQueue(t))
				time.AfterFunc(time.Second, stop)
				if err := s.WaitForSync(t.Context()); err == nil || err.Error() != c.want {
					t.Errorf("WaitForSync returned %v, want %s", err, c.want)
				}
				if err := s.WaitForSync(ctx); err != nil {
					t.Errorf("at shutdown WaitForSync returned %v", err)
				}
			})
		})
	}
}

func TestNotStarted(t *testing.T) {
	s := source.NewKind(&informertest.FakeInformers{}, &corev1.Pod{}, funcs{})
	if err := s.WaitForSync(t.Context()); err == nil || !strings.Contains(err.Error(), "kind source: *v1.Pod: it has not been started") {
		t.Errorf("a source that was not started says %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	started(t, ended, s, newQueue(t))
	if err := s.WaitForSync(t.Context()); !errors.Is(err, context.Canceled) {
		t.Errorf("a source that was started too late says %v", err)
	}
}

// TestTwoControllersMayShareAKind is not what one should do, but works.
func TestTwoControllersMayShareAKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pods := controllertest.NewFakeInformer(controllertest.Synced)
		s := source.NewKind(holding(pods), client.Object(&corev1.Pod{}), &handler.EnqueueRequestForObject{})
		queues := []queue{newQueue(t), newQueue(t)}
		for _, q := range queues {
			startedSynced(t, s, q)
		}
		pods.Add(pod("web", "1"))
		for i, q := range queues {
			if q.Len() != 1 {
				t.Errorf("queue %d has %d requests, want one", i, q.Len())
			}
		}
	})
}

// TestPanicOfTheCacheIsRaisedAgain looks that it is not lost with the goroutine that
// it happened in.
func TestPanicOfTheCacheIsRaisedAgain(t *testing.T) {
	broken := &flaky{Cache: &informertest.FakeInformers{}, before: func(context.Context) error { panic("no mapper") }}
	t.Run("to end the process", func(t *testing.T) {
		s := source.NewKind(broken, &corev1.Pod{}, funcs{})
		started(t, t.Context(), s, newQueue(t))
		defer func() {
			crash, ok := recover().(error)
			if !ok || !strings.Contains(crash.Error(), "no mapper") {
				t.Errorf("WaitForSync panicked with %v, want the cache's panic", crash)
			}
		}()
		t.Errorf("WaitForSync returned %v", s.WaitForSync(t.Context()))
	})
	t.Run("to be survived", func(t *testing.T) {
		utilruntime.ReallyCrash = false
		defer func() { utilruntime.ReallyCrash = true }()
		s := source.NewKind(broken, &corev1.Pod{}, funcs{})
		started(t, t.Context(), s, newQueue(t))
		if err := s.WaitForSync(t.Context()); err == nil || !strings.Contains(err.Error(), "it panicked") {
			t.Errorf("WaitForSync returned %v", err)
		}
	})
}

package toolscache

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/engine/peer"
	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
)

func configMap(name, version string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, ResourceVersion: version}}
}

// configMaps is a client-go ListerWatcher for them on client-go's fake API. They
// are listed at a version, which that API does not do.
func configMaps(client *fake.Clientset) *cache.ListWatch {
	api := client.CoreV1().ConfigMaps("ns")
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
			list, err := api.List(ctx, opts)
			if err == nil {
				list.ResourceVersion = "10"
			}
			return list, err
		},
		WatchFuncWithContext: api.Watch,
	}
}

// TestReflectorFollowsFakeAPI changes things on client-go's fake API.
func TestReflectorFollowsFakeAPI(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := fake.NewClientset(configMap("a", "1"))
		store := cache.NewStore(cache.MetaNamespaceKeyFunc)
		r := NewReflector(cache.ToListWatcherWithWatchListSemantics(configMaps(client), client), &corev1.ConfigMap{}, store, 0)
		runs(t, r, func() {
			api := client.CoreV1().ConfigMaps("ns")
			for _, version := range []string{"11", "12"} {
				if _, err := api.Create(t.Context(), configMap("b"+version, version), metav1.CreateOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			if err := api.Delete(t.Context(), "a", metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		})
		if got, want := fmt.Sprint(slices.Sorted(slices.Values(store.ListKeys()))), "[ns/b11 ns/b12]"; got != want {
			t.Errorf("the store holds %v, want %v", got, want)
		}
	})
}

// scripted is a ListerWatcher whose answers are functions.
type scripted struct {
	mu    sync.Mutex // guards lists
	lists int
	list  func(n int) (runtime.Object, error)
	watch func() (watch.Interface, error)
}

func (s *scripted) List(metav1.ListOptions) (runtime.Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lists++
	return s.list(s.lists)
}

func (s *scripted) Watch(metav1.ListOptions) (watch.Interface, error) { return s.watch() }

func (s *scripted) IsWatchListSemanticsUnSupported() bool { return true }

func oneList(int) (runtime.Object, error) {
	return &corev1.ConfigMapList{ListMeta: metav1.ListMeta{ResourceVersion: "5"}}, nil
}

func quietWatch() (watch.Interface, error) { return watch.NewFake(), nil }

// resyncingStore counts resyncs, and fails the one it is told to.
type resyncingStore struct {
	cache.Store
	replaces, resyncs, failing int
}

func (s *resyncingStore) Replace(objs []any, version string) error {
	s.replaces++
	return s.Store.Replace(objs, version)
}

func (s *resyncingStore) Resync() error {
	s.resyncs++
	if s.resyncs == s.failing {
		return errors.New("no resync")
	}
	return nil
}

func TestReflectorResyncsAfterTheList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &resyncingStore{Store: cache.NewStore(cache.MetaNamespaceKeyFunc), failing: 5}
		lw := &scripted{watch: quietWatch, list: func(n int) (runtime.Object, error) {
			time.Sleep(10 * time.Minute) // no resync before there is anything
			return oneList(n)
		}}
		r := NewReflector(lw, &corev1.ConfigMap{}, store, time.Minute)
		asked := 0
		r.ShouldResync = func() bool { asked++; return asked%2 == 0 }
		start := time.Now()
		if err := r.ListAndWatchWithContext(t.Context()); err != nil {
			t.Errorf("a failed resync surfaced as %v", err)
		}
		if got := time.Since(start); got != 20*time.Minute {
			t.Errorf("the cycle ended after %v, want 20m", got)
		}
		if asked != 10 || store.resyncs != 5 {
			t.Errorf("asked %d times and resynced %d times, want 10 and 5", asked, store.resyncs)
		}
		if err := r.ListAndWatchWithContext(endsAfter(t, 10*time.Minute+time.Second)); err != nil || store.replaces != 2 {
			t.Errorf("the second cycle returned %v after %d lists", err, store.replaces)
		}
	})
}

func endsAfter(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func TestReflectorTellsHandlerWhatClientGoWould(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		watches := []error{
			syscall.ECONNREFUSED, apierrors.NewTooManyRequests("later", 1),
			apierrors.NewForbidden(schema.GroupResource{Resource: "configmaps"}, "", nil), nil,
		}
		lw := &scripted{
			list: func(n int) (runtime.Object, error) {
				if n == 1 {
					return nil, errors.New("no list")
				}
				return oneList(n)
			},
			watch: func() (watch.Interface, error) {
				if err := watches[0]; err != nil {
					watches = watches[1:]
					return nil, err
				}
				return watch.NewFake(), nil
			},
		}
		for name, run := range map[string]func(context.Context, cache.WatchErrorHandlerWithContext){
			"reflector": func(ctx context.Context, handler cache.WatchErrorHandlerWithContext) {
				r := NewReflectorWithOptions(lw, &corev1.ConfigMap{}, cache.NewStore(cache.MetaNamespaceKeyFunc), ReflectorOptions{Name: "us"})
				r.watchErrorHandler = handler
				r.RunWithContext(ctx)
			},
			"hook": func(ctx context.Context, handler cache.WatchErrorHandlerWithContext) {
				options := ReflectorOptions{Name: "us"}
				opts := peer.Options(lw, options)
				opts.OnError = peer.OnWatchError(peer.Reflector(lw, &corev1.ConfigMap{}, options), func() cache.WatchErrorHandlerWithContext { return handler })
				sink := newStoreSink(cache.NewStore(cache.MetaNamespaceKeyFunc))
				_ = reflector.New(listwatch.Of(clientOf(lw), nil), sink, keyOrAddress, opts).Run(ctx)
			},
		} {
			answers := watches
			lw.lists = 0
			var told []string
			run(endsAfter(t, time.Hour), func(_ context.Context, peer *cache.Reflector, err error) {
				told = append(told, fmt.Sprint(peer.Name(), ": ", err))
			})
			got := strings.Join(told, "\n")
			if want := "us: list *v1.ConfigMap: no list\nus: configmaps is forbidden: <nil>"; name == "reflector" && got != want {
				t.Errorf("%s: handler was told\n%s, want\n%s", name, got, want)
			}
			if len(told) != 2 {
				t.Errorf("%s: handler was told %q", name, told)
			}
			watches = answers
		}
	})
}

func TestReflectorNames(t *testing.T) {
	r := NewReflector(&scripted{}, nil, nil, 0)
	if !strings.Contains(r.Name(), "reflector_test.go") && !strings.Contains(r.Name(), "testing.go") {
		t.Errorf("the default name is %q, want the caller's file and line", r.Name())
	}
	if r.TypeDescription() != "<unspecified>" || r.LastSyncResourceVersion() != "" {
		t.Errorf("a new Reflector of nothing is of %q at %q", r.TypeDescription(), r.LastSyncResourceVersion())
	}
}

package toolscache

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// missing is a kind that the server does not have.
type missing struct{}

func (missing) List(metav1.ListOptions) (runtime.Object, error) {
	return nil, apierrors.NewGenericServerResponse(404, "list", schema.GroupResource{Resource: "widgets"}, "", "", 0, true)
}

func (m missing) Watch(opts metav1.ListOptions) (watch.Interface, error) {
	_, err := m.List(opts)
	return nil, err
}

// of is a quiet server with a ConfigMap of this name in a namespace.
type of struct {
	*quiet
	namespace string
}

func inNamespace(namespace, name string) cache.ListerWatcher { return of{newQuiet(name), namespace} }

func (o of) List(opts metav1.ListOptions) (runtime.Object, error) {
	list, err := o.quiet.List(opts)
	for i := range list.(*corev1.ConfigMapList).Items {
		list.(*corev1.ConfigMapList).Items[i].Namespace = o.namespace
	}
	return list, err
}

func sharedFor(t *testing.T, config SharedInformerConfig) *SharedInformer {
	t.Helper()
	config.Kind, config.Example = "configmaps", &corev1.ConfigMap{}
	s, err := NewSharedInformerFor(config)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// One handler can be resynced at another period in each namespace.
func TestHandlersAreResyncedAsTheScopesSay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sharedFor(t, SharedInformerConfig{
			Scopes: []SharedScope{
				{Namespace: "p", ListerWatcher: inNamespace("p", "a"), ResyncPeriod: time.Minute},
				{Namespace: "q", ListerWatcher: inNamespace("q", "a"), ResyncPeriod: resync.Never},
				{Except: []string{"p", "q", "r"}, ListWatcher: listWatcherOf(inNamespace("x", "a"), nil)},
			},
			ResyncPeriod: 10 * time.Minute,
			Reflector:    informer.Settings{Lists: informer.PagesOnly},
		})
		var mu sync.Mutex // guards updates, which each handler counts in
		updates := map[string]int{}
		count := func(name string) cache.ResourceEventHandler {
			return cache.ResourceEventHandlerFuncs{UpdateFunc: func(_, obj any) {
				mu.Lock()
				defer mu.Unlock()
				updates[name+" "+obj.(*corev1.ConfigMap).Namespace]++
			}}
		}
		_, err := s.AddEventHandler(count("open"))
		if err != nil {
			t.Fatal(err)
		}
		for name, period := range map[string]time.Duration{"own": 5 * time.Minute, "none": 0} {
			if _, err := s.AddEventHandlerWithResyncPeriod(count(name), period); err != nil {
				t.Fatal(err)
			}
		}
		runs(t, s, func() {
			if err := s.AddScope(SharedScope{Namespace: "r", ListerWatcher: inNamespace("r", "a"), ResyncPeriod: 2 * time.Minute}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(20*time.Minute + time.Second)
			synctest.Wait()
		})
		want := map[string]int{"open p": 20, "open x": 2, "open r": 10, "own p": 4, "own q": 4, "own r": 4, "own x": 4}
		if fmt.Sprint(updates) != fmt.Sprint(want) {
			t.Errorf("updates by handler and namespace:\n%v, want\n%v", updates, want)
		}
	})
}

// A scope that is removed is no deletion: client-go's handlers do not hear of it.
func TestHandlersDoNotHearOfRemovedScopes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sharedFor(t, SharedInformerConfig{Scopes: []SharedScope{
			{Namespace: "p", ListerWatcher: inNamespace("p", "a")},
			{Namespace: "q", ListerWatcher: inNamespace("q", "b")},
		}})
		var told []string
		if _, err := s.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(obj any) { told = append(told, "added "+obj.(*corev1.ConfigMap).Name) },
			DeleteFunc: func(any) { told = append(told, "deleted") },
		}); err != nil {
			t.Fatal(err)
		}
		runs(t, s, func() {
			if err := s.Core().RemoveScope("p", informer.AsOutOfScope); err != nil {
				t.Error(err)
			}
			synctest.Wait()
			if keys := s.GetStore().ListKeys(); len(keys) != 1 || keys[0] != "q/b" {
				t.Errorf("in the store are %v", keys)
			}
		})
		if len(told) != 2 {
			t.Errorf("told %v, want that a and b were added", told)
		}
	})
}

// A kind that the server does not have keeps handlers from having synced, unless
// they are to be ready when it has settled.
func TestHandlersOfAMissingKind(t *testing.T) {
	for _, ready := range []engine.Readiness{engine.WhenSynced, engine.WhenSettled} {
		synctest.Test(t, func(t *testing.T) {
			errs := 0
			s := sharedFor(t, SharedInformerConfig{
				Scopes:            []SharedScope{{ListerWatcher: missing{}}},
				Ready:             ready,
				WatchErrorHandler: func(context.Context, *cache.Reflector, error) { errs++ },
			})
			handle, err := s.AddEventHandler(cache.ResourceEventHandlerFuncs{})
			if err != nil {
				t.Fatal(err)
			}
			runs(t, s, func() {
				if handle.HasSynced() != (ready == engine.WhenSettled) || s.HasSynced() || errs == 0 {
					t.Errorf("ready %d: the handler has synced: %t, the informer: %t, errors: %d", ready, handle.HasSynced(), s.HasSynced(), errs)
				}
			})
		})
	}
}

func TestSharedInformerConfig(t *testing.T) {
	_, err := NewSharedInformerFor(SharedInformerConfig{Example: &corev1.ConfigMap{}})
	if err == nil {
		t.Error("an informer without a scope was made")
	}
	scopes := []SharedScope{{Namespace: "p", ListerWatcher: missing{}}, {ListerWatcher: missing{}}}
	if _, err = NewSharedInformerFor(SharedInformerConfig{Scopes: scopes}); !errors.Is(err, engine.ErrOverlap) {
		t.Errorf("scopes that overlap: %v", err)
	}
	synctest.Test(t, func(t *testing.T) {
		s := sharedFor(t, SharedInformerConfig{
			Scopes: []SharedScope{{ListerWatcher: inNamespace("p", "a")}},
			Transform: func(obj any) (any, error) {
				obj.(*corev1.ConfigMap).Labels = map[string]string{"seen": "yes"}
				return obj, nil
			},
			Indexers: cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc},
		})
		runs(t, s, func() {
			objs, err := s.GetIndexer().ByIndex(cache.NamespaceIndex, "p")
			if err != nil || len(objs) != 1 || objs[0].(*corev1.ConfigMap).Labels["seen"] != "yes" {
				t.Errorf("found %v, %v", objs, err)
			}
		})
	})
}

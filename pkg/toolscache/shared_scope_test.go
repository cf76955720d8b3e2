package toolscache

import (
	"context"
	"errors"
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
	"k8s.io/klog/v2"

	"github.com/delta-runtime/delta-runtime/internal/api/objects"
	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/internal/engine/peer"
	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
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

// scopes make an informer of several scopes, as a cache does.
type scopes struct {
	each    []engine.Scope[any]
	opts    engine.Options[any]
	show    peer.Shown
	onError cache.WatchErrorHandlerWithContext
}

// scopeOf is a scope that lw shows.
func scopeOf(namespace string, lw cache.ListerWatcher, policy resync.Policy) engine.Scope[any] {
	return engine.Scope[any]{Namespace: namespace, ListWatcher: lendingListWatcher(lw, &corev1.ConfigMap{}), Resync: policy}
}

func (s scopes) shown(t *testing.T) *peer.SharedInformer {
	t.Helper()
	s.show.Kind = "configmaps"
	if s.show.Hooks == nil {
		s.show.Hooks = new(peer.Hooks)
	}
	s.opts.Name, s.opts.Traits, s.opts.Log = s.show.Kind, objects.Traits, klog.Background()
	s.opts.Indexers = peer.Typed(s.show.Indexers)
	s.opts.Reflector.Settings = reflector.Fill(s.opts.Reflector.Settings, informer.Settings{Lists: informer.PagesOnly})
	s.opts.Reflector.OnError = peer.OnWatchError(peer.Reflector(&cache.ListWatch{}, &corev1.ConfigMap{}, ReflectorOptions{}),
		func() cache.WatchErrorHandlerWithContext { return s.onError })
	core, err := engine.NewScoped(s.each, s.opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, scope := range s.each {
		s.show.Policies = append(s.show.Policies, scope.Resync)
	}
	return peer.Show(core, s.show)
}

// One handler can be resynced at another period in each namespace.
func TestHandlersAreResyncedAsTheScopesSay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		others := scopeOf("", inNamespace("x", "a"), peer.ByPeriod(10*time.Minute))
		others.Except = []string{"p", "q", "r"}
		s := scopes{
			each: []engine.Scope[any]{
				scopeOf("p", inNamespace("p", "a"), peer.ByPeriod(time.Minute)),
				scopeOf("q", inNamespace("q", "a"), peer.ByPeriod(resync.Never)),
				others,
			},
			show: peer.Shown{ResyncPeriod: 10 * time.Minute},
		}.shown(t)
		updates := &tally{t: t, updates: map[string]int{}}
		_, err := s.AddEventHandler(updates.handler("open"))
		if err != nil {
			t.Fatal(err)
		}
		for name, period := range map[string]time.Duration{"own": 5 * time.Minute, "none": 0} {
			if _, err := s.AddEventHandlerWithResyncPeriod(updates.handler(name), period); err != nil {
				t.Fatal(err)
			}
		}
		runs(t, s, func() {
			if err := s.Core().AddScope(scopeOf("r", inNamespace("r", "a"), peer.ByPeriod(2*time.Minute))); err != nil {
				t.Fatal(err)
			}
			time.Sleep(20*time.Minute + time.Second)
			updates.expect(map[string]int{"open p": 20, "open x": 2, "open r": 10, "own p": 4, "own q": 4, "own r": 4, "own x": 4})
		})
	})
}

// A scope that is removed does not count as a deletion: client-go's handlers do not hear of
// it.
func TestHandlersDoNotHearOfRemovedScopes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scopes{each: []engine.Scope[any]{
			scopeOf("p", inNamespace("p", "a"), resync.Policy{}),
			scopeOf("q", inNamespace("q", "b"), resync.Policy{}),
		}}.shown(t)
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
			s := scopes{
				each:    []engine.Scope[any]{scopeOf("", missing{}, resync.Policy{})},
				opts:    engine.Options[any]{Ready: ready},
				onError: func(context.Context, *cache.Reflector, error) { errs++ },
			}.shown(t)
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

// What callers set before the informer runs reaches the owner of an informer that is shown.
func TestOwnersOfShownInformersAreToldWhatIsSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hooks := new(peer.Hooks)
		s := scopes{each: []engine.Scope[any]{scopeOf("", newQuiet("a"), resync.Policy{})}, show: peer.Shown{Hooks: hooks}}.shown(t)
		owners := func(any) (any, error) { return "owner's", nil }
		asked := func() any {
			got, err := hooks.Transform.Or(owners)(nil)
			if err != nil {
				t.Error(err)
			}
			return got
		}
		if got := asked(); got != "owner's" || hooks.OnError.Or(nil) != nil {
			t.Errorf("the transform is the %v before anything is set", got)
		}
		if err := errors.Join(
			s.SetTransform(func(any) (any, error) { return "caller's", nil }),
			s.SetWatchErrorHandler(func(*cache.Reflector, error) {}),
		); err != nil {
			t.Error(err)
		}
		if got := asked(); got != "caller's" || hooks.OnError.Or(nil) == nil {
			t.Errorf("the transform is the %v, want the caller's; or there is no handler", got)
		}
		if err := s.SetTransform(nil); err != nil || hooks.Transform.Or(owners) != nil {
			t.Errorf("none can be set instead of the owner's: %v", err)
		}
	})
}

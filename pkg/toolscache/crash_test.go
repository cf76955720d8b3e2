package toolscache

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
)

// reportPanics has panics reported and not end the process, until the test is over.
// It returns how many there were.
func reportPanics(t *testing.T) *int {
	t.Helper()
	really, handlers := utilruntime.ReallyCrash, utilruntime.PanicHandlers
	t.Cleanup(func() { utilruntime.ReallyCrash, utilruntime.PanicHandlers = really, handlers })
	panics := 0
	utilruntime.ReallyCrash = false
	utilruntime.PanicHandlers = []func(context.Context, any){func(context.Context, any) { panics++ }}
	return &panics
}

// growing is a server that has one object more in each list, and the last watch that
// it was asked for.
func growing() (*scripted, func() *watch.FakeWatcher) {
	var last *watch.FakeWatcher
	return &scripted{
		list: func(n int) (runtime.Object, error) {
			list := &corev1.ConfigMapList{ListMeta: metav1.ListMeta{ResourceVersion: "10"}}
			for i := range n {
				list.Items = append(list.Items, *configMap(fmt.Sprint("listed-", i), "1"))
			}
			return list, nil
		},
		watch: func() (watch.Interface, error) {
			last = watch.NewFake()
			return last, nil
		},
	}, func() *watch.FakeWatcher { return last }
}

func constructors() map[string]func(cache.ListerWatcher, runtime.Object, time.Duration, cache.Indexers) cache.SharedIndexInformer {
	return map[string]func(cache.ListerWatcher, runtime.Object, time.Duration, cache.Indexers) cache.SharedIndexInformer{
		"theirs": cache.NewSharedIndexInformer, "ours": NewSharedIndexInformer,
	}
}

// A transform that panics costs a list, where panics do not end the process. client-go
// and ours both list again after a while, and go on.
func TestTransformThatPanics(t *testing.T) {
	for side, make := range constructors() {
		for _, where := range []string{"listed-0", "watched"} {
			t.Run(side+"/"+where, func(t *testing.T) {
				panics := reportPanics(t)
				synctest.Test(t, func(t *testing.T) {
					api, watched := growing()
					s := make(api, &corev1.ConfigMap{}, 0, cache.Indexers{})
					broken := true
					if err := s.SetTransform(func(obj any) (any, error) {
						if broken && obj.(*corev1.ConfigMap).Name == where {
							broken = false
							panic("the transform is broken")
						}
						return obj, nil
					}); err != nil {
						t.Fatal(err)
					}
					ended := false
					g := lifecycle.New(t.Context())
					g.Guest("informer", func(ctx context.Context) { s.RunWithContext(ctx); ended = true })
					synctest.Wait()
					if where == "watched" {
						watched().Add(configMap("watched", "11"))
					}
					time.Sleep(10 * time.Minute)
					if ended {
						t.Error("Run has returned")
					}
					keys := s.GetStore().ListKeys()
					slices.Sort(keys)
					if got := strings.Join(keys, " "); got != "ns/listed-0 ns/listed-1" || *panics != 1 {
						t.Errorf("after %d panics the store has %q, want what the second list shows", *panics, got)
					}
					g.Stop()
					_ = g.Wait()
				})
			})
		}
	}
}

// A Reflector over somebody else's store does the same.
func TestReflectorOverAStoreThatPanics(t *testing.T) {
	panics := reportPanics(t)
	synctest.Test(t, func(t *testing.T) {
		api, _ := growing()
		store := cache.NewStore(func(obj any) (string, error) {
			if *panics == 0 {
				panic("the store is broken")
			}
			return cache.MetaNamespaceKeyFunc(obj)
		})
		r := NewReflector(api, &corev1.ConfigMap{}, store, time.Hour)
		runs(t, r, func() { time.Sleep(10 * time.Minute) })
		if keys := store.ListKeys(); len(keys) != 2 || *panics != 1 {
			t.Errorf("after %d panics the store has %v, want what the second list shows", *panics, keys)
		}
	})
}

// An index function that panics is treated as one that returns an error, where panics
// do not end the process.
func TestIndexFunctionThatPanics(t *testing.T) {
	panics := reportPanics(t)
	synctest.Test(t, func(t *testing.T) {
		api, watched := growing()
		s := NewSharedIndexInformer(api, &corev1.ConfigMap{}, 0, cache.Indexers{"name": func(obj any) ([]string, error) {
			name := obj.(*corev1.ConfigMap).Name
			if name == "watched" {
				panic("the index function is broken")
			}
			return []string{name}, nil
		}})
		runs(t, s, func() {
			watched().Add(configMap("watched", "11"))
			watched().Add(configMap("other", "12"))
			synctest.Wait()
			for name, want := range map[string]int{"listed-0": 1, "other": 1, "watched": 0} {
				if found, err := s.GetIndexer().ByIndex("name", name); err != nil || len(found) != want {
					t.Errorf("under %s are %v (error %v), want %d", name, found, err, want)
				}
			}
			if _, there, err := s.GetStore().GetByKey("ns/watched"); !there || err != nil {
				t.Errorf("the object is stored: %t, %v", there, err)
			}
		})
	})
	if *panics != 1 {
		t.Errorf("%d panics were reported, want 1", *panics)
	}
}

// A handler, and the Process of a low-level controller, may panic where panics do not end the process. client-go's go on, and so do
// ours.
func TestAnInformerOutlivesItsHandler(t *testing.T) {
	makers := map[string]func(lw cache.ListerWatcher, tell func()) (cache.Store, cache.Controller){
		"theirs": func(lw cache.ListerWatcher, tell func()) (cache.Store, cache.Controller) {
			return cache.NewInformer(lw, &corev1.ConfigMap{}, 0, cache.ResourceEventHandlerFuncs{AddFunc: func(any) { tell() }}) //nolint:staticcheck // this one is meant
		},
		"ours": func(lw cache.ListerWatcher, tell func()) (cache.Store, cache.Controller) {
			return NewInformer(lw, &corev1.ConfigMap{}, 0, cache.ResourceEventHandlerFuncs{AddFunc: func(any) { tell() }})
		},
		"ours, low level": func(lw cache.ListerWatcher, tell func()) (cache.Store, cache.Controller) {
			store := NewStore(cache.MetaNamespaceKeyFunc)
			return store, New(&cache.Config{
				Queue:         NewDeltaFIFOWithOptions(DeltaFIFOOptions{KnownObjects: store, EmitDeltaTypeReplaced: true}),
				ListerWatcher: lw, ObjectType: &corev1.ConfigMap{},
				Process: func(obj any, _ bool) error {
					tell()
					return store.Add(obj.(cache.Deltas).Newest().Object)
				},
			})
		},
	}
	for side, make := range makers {
		t.Run(side, func(t *testing.T) {
			panics := reportPanics(t)
			synctest.Test(t, func(t *testing.T) {
				api, watched := growing()
				told := 0
				store, c := make(api, func() {
					if told++; told == 1 {
						panic("the handler is broken")
					}
				})
				ended := false
				g := lifecycle.New(t.Context())
				g.Guest("informer", func(ctx context.Context) { c.RunWithContext(ctx); ended = true })
				synctest.Wait()
				for _, name := range []string{"a", "b"} {
					watched().Add(configMap(name, "11"))
					time.Sleep(10 * time.Minute)
					synctest.Wait()
				}
				if _, there, _ := store.GetByKey("ns/b"); ended || !there || told != 3 || *panics != 1 { // the first is listed
					t.Errorf("after %d panics it has ended: %t; it was told %d times, and has the second object: %t", *panics, ended, told, there)
				}
				g.Stop()
				_ = g.Wait()
			})
		})
	}
}

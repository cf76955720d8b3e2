package toolscache

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/engine"
)

// newShared returns a shared informer for the ConfigMaps of a quiet server.
func newShared(resync time.Duration, names ...string) cache.SharedIndexInformer {
	return NewSharedIndexInformer(newQuiet(names...), &corev1.ConfigMap{}, resync,
		cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
}

// runs runs an informer, a controller or a Reflector in its bubble while test does something.
func runs(t *testing.T, what interface{ RunWithContext(ctx context.Context) }, test func()) {
	t.Helper()
	g := lifecycle.New(t.Context())
	g.Guest("what is tested", what.RunWithContext)
	synctest.Wait()
	test()
	g.Stop()
	_ = g.Wait()
}

func TestHandlesOfOthersAreLeftAlone(t *testing.T) {
	one, two := newShared(0), newShared(0)
	handle, err := one.AddEventHandler(cache.ResourceEventHandlerFuncs{})
	if err != nil {
		t.Fatal(err)
	}
	type counting interface {
		EventHandlerCount() int
		IsRegistered(handle cache.ResourceEventHandlerRegistration) bool
	}
	registered := func(want bool) {
		t.Helper()
		its, others := one.(counting), two.(counting)
		if count := its.EventHandlerCount(); its.IsRegistered(handle) != want || (count == 1) != want || others.IsRegistered(handle) {
			t.Errorf("the handler is registered: %t, of %d, and with the other: %t; want %t", its.IsRegistered(handle), count, others.IsRegistered(handle), want)
		}
	}
	if err := two.RemoveEventHandler(handle); err != nil {
		t.Errorf("removing the handler of another informer: %v", err)
	}
	registered(true)
	foreign := cache.NewSharedIndexInformer(newQuiet(), &corev1.ConfigMap{}, 0, nil)
	theirs, err := foreign.AddEventHandler(cache.ResourceEventHandlerFuncs{})
	if err != nil {
		t.Fatal(err)
	}
	if err := one.RemoveEventHandler(theirs); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%T", theirs)) {
		t.Errorf("removing a handler of client-go's gives %v, want an error that names its type", err)
	}
	registered(true)
	for range 2 { // once more does nothing
		if err := one.RemoveEventHandler(handle); err != nil {
			t.Error(err)
		}
		registered(false)
	}
}

func TestWhatIsSetAfterTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShared(0, "a")
		if err := s.SetTransform(func(obj any) (any, error) {
			obj.(*corev1.ConfigMap).Data = map[string]string{"transformed": "yes"}
			return obj, nil
		}); err != nil {
			t.Error(err)
		}
		runs(t, s, func() {
			s.RunWithContext(t.Context()) // returns at once; if it waited, so would this test
			for what, err := range map[string]error{
				"SetTransform":                    s.SetTransform(nil),
				"SetWatchErrorHandler":            s.SetWatchErrorHandler(nil),
				"SetWatchErrorHandlerWithContext": s.SetWatchErrorHandlerWithContext(nil),
			} {
				if !errors.Is(err, engine.ErrStarted) || !strings.Contains(err.Error(), "informer has already started") { // client-go's words
					t.Errorf("%s while it runs returns %v, want %v in client-go's words", what, err, engine.ErrStarted)
				}
			}
			obj, there, err := s.GetStore().GetByKey("ns/a")
			if err != nil || !there || obj.(*corev1.ConfigMap).Data["transformed"] != "yes" {
				t.Errorf("the store holds %v (%t, %v), want it transformed by what was set before", obj, there, err)
			}
		})
		if !s.IsStopped() {
			t.Error("it has run and is not stopped")
		}
		if err := s.AddIndexers(cache.Indexers{"late": cache.MetaNamespaceIndexFunc}); !errors.Is(err, engine.ErrStopped) || !strings.HasPrefix(err.Error(), "indexer was not added because it has stopped already") {
			t.Errorf("AddIndexers after the end returns %v, want client-go's words and %v", err, engine.ErrStopped)
		}
		if handle, err := s.AddEventHandler(cache.ResourceEventHandlerFuncs{}); err == nil || handle != nil {
			t.Errorf("AddEventHandler after the end returns %v, %v, want an error", handle, err)
		}
	})
}

// A cache may be written from outside: before Run, and while it runs, when what
// was written can be read on return, in its indexes too, and no handler is told.
func TestSeedingTheIndexer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShared(0, "listed")
		var told []string
		if _, err := s.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: func(obj any) { told = append(told, "added "+obj.(*corev1.ConfigMap).Name) },
		}); err != nil {
			t.Fatal(err)
		}
		seed := func(name string, index cache.Indexers, version string) {
			t.Helper()
			if err := s.GetIndexer().Add(configMap(name, "999")); err != nil {
				t.Error(err)
			}
			if err := s.AddIndexers(index); err != nil {
				t.Error(err)
			}
			if _, there, err := s.GetStore().GetByKey("ns/" + name); !there || err != nil {
				t.Errorf("%s was added and cannot be read (error %v)", name, err)
			}
			for by := range index {
				if keys, err := s.GetIndexer().IndexKeys(by, name); err != nil || !slices.Equal(keys, []string{"ns/" + name}) {
					t.Errorf("under %s are %v (error %v), want what was added", by, keys, err)
				}
			}
			if got := s.LastSyncResourceVersion(); got != version {
				t.Errorf("the informer is at version %q, want %q: what is seeded says nothing about the server", got, version)
			}
		}
		byName := func(obj any) ([]string, error) { return []string{obj.(*corev1.ConfigMap).Name}, nil }
		seed("before", cache.Indexers{"early": byName}, "")
		runs(t, s, func() {
			seed("during", cache.Indexers{"late": byName}, "10")
			if _, there, _ := s.GetStore().GetByKey("ns/before"); there {
				t.Error("what was seeded before is still there after a list that lacks it")
			}
		})
		if got, want := told, []string{"added listed"}; !slices.Equal(got, want) {
			t.Errorf("the handler was told %v, want %v", got, want)
		}
	})
}

// crashing runs f and returns what it panicked with.
func crashing(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

// With client-go's switch for that on, the process ends if somebody changes an object of
// the cache, and names the object. The switch is read when the process starts, so the test
// runs itself.
func TestMutationDetectorHasItsSwitch(t *testing.T) {
	if os.Getenv("TOOLSCACHE_MUTATE") != "" {
		synctest.Test(t, mutate)
		return
	}
	for _, on := range []bool{true, false} {
		again := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestMutationDetectorHasItsSwitch$", "-test.v")
		again.Env = append(os.Environ(), "TOOLSCACHE_MUTATE=yes", "KUBE_CACHE_MUTATION_DETECTOR="+strconv.FormatBool(on))
		output, err := again.CombinedOutput()
		if err != nil {
			t.Fatalf("with the switch %t: %v\n%s", on, err, output)
		}
		if named := strings.Contains(string(output), "ns/a") && strings.Contains(string(output), "Data"); named != on {
			t.Errorf("with the switch %t the informer ended with\n%s\nwant it to name the object and the field: %t", on, output, on)
		}
	}
}

// mutate changes an object of a cache, and prints what its informer ends with.
func mutate(t *testing.T) {
	s := newShared(0, "a")
	t.Log(crashing(func() {
		runs(t, s, func() {
			obj, _, err := s.GetStore().GetByKey("ns/a")
			if err != nil {
				t.Fatal(err)
			}
			// To stop orders this before the last look, as far as the race detector
			// knows, which sees what the mutation detector is for as well.
			obj.(*corev1.ConfigMap).Data = map[string]string{"changed": "in place"}
		})
	}))
}

// A handler that panics ends the process, unless it is configured not to: then it
// is left alone for a second and told what comes next.
func TestHandlerThatPanics(t *testing.T) {
	panics := reportPanics(t)
	synctest.Test(t, func(t *testing.T) {
		s := newShared(0, "a", "b", "c")
		start := time.Now()
		var told []string
		handle, err := s.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(obj any) {
			told = append(told, fmt.Sprint(obj.(*corev1.ConfigMap).Name, " after ", time.Since(start)))
			if len(told) == 1 {
				panic("the handler is broken")
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		runs(t, s, func() {
			time.Sleep(time.Minute)
			if !handle.HasSynced() {
				t.Error("the handler has not synced")
			}
		})
		if got, want := told, []string{"a after 0s", "b after 1s", "c after 1s"}; !slices.Equal(got, want) {
			t.Errorf("the handler was told %v, want %v", got, want)
		}
	})
	if *panics != 1 {
		t.Errorf("%d panics were reported, want 1", *panics)
	}

	utilruntime.ReallyCrash = true
	synctest.Test(t, func(t *testing.T) {
		s := newShared(0, "a")
		if _, err := s.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(any) { panic("the handler is broken") }}); err != nil {
			t.Fatal(err)
		}
		if got := crashing(func() { s.RunWithContext(t.Context()) }); got != "the handler is broken" {
			t.Errorf("Run ended with %v, want it to panic with what the handler did", got)
		}
	})
}

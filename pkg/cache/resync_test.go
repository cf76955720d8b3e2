package cache

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	crtools "k8s.io/client-go/tools/cache"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/internal/engine/timetable"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

var configMapGVK = corev1.SchemeGroupVersion.WithKind("ConfigMap")

// TestResyncPrecedence sees a Period taken from the narrowest level that has an
// opinion, where a policy overrides the SyncPeriod of its level, and the rest of the
// policies filled in.
func TestResyncPrecedence(t *testing.T) {
	hour, minute := new(time.Hour), new(time.Minute)
	spread := resync.Policy{Spread: resync.OverPeriod, Rate: 7}
	for name, c := range map[string]struct {
		opts      crcache.Options
		ours      Options
		namespace string
		want      resync.Policy
		synced    time.Duration // a SyncPeriod: within a tenth of this
	}{
		"nothing is said": {synced: 10 * time.Hour},
		"SyncPeriod":      {opts: crcache.Options{SyncPeriod: hour}, synced: time.Hour},
		"SyncPeriod zero": {opts: crcache.Options{SyncPeriod: new(time.Duration(0))}, want: resync.Policy{Period: resync.Never}},
		"a default policy": {
			opts: crcache.Options{SyncPeriod: hour}, ours: Options{Default: KindOptions{Resync: resync.Policy{Period: time.Minute, Jitter: 0.1}}},
			want: resync.Policy{Period: time.Minute, Jitter: 0.1},
		},
		"a default policy without a Period": {
			opts: crcache.Options{SyncPeriod: hour}, ours: Options{Default: KindOptions{Resync: spread}},
			want: spread, synced: time.Hour,
		},
		"the kind's SyncPeriod is narrower than a default policy": {
			opts: crcache.Options{ByObject: map[client.Object]crcache.ByObject{configMaps: {SyncPeriod: minute}}},
			ours: Options{Default: KindOptions{Resync: resync.Policy{Period: time.Second, Rate: 7}}},
			want: resync.Policy{Rate: 7}, synced: time.Minute,
		},
		"the kind's policy": {
			opts: crcache.Options{SyncPeriod: hour, ByObject: map[client.Object]crcache.ByObject{configMaps: {SyncPeriod: minute}}},
			ours: Options{Default: KindOptions{Resync: spread}, ByObject: map[client.Object]KindOptions{configMaps: {Resync: resync.Policy{Period: 5 * time.Second}}}},
			want: resync.Policy{Period: 5 * time.Second, Spread: resync.OverPeriod, Rate: 7},
		},
		"the kind never": {
			opts: crcache.Options{SyncPeriod: hour},
			ours: Options{ByObject: map[client.Object]KindOptions{configMaps: {Resync: resync.Policy{Period: resync.Never}}}},
			want: resync.Policy{Period: resync.Never},
		},
		"a namespace's SyncPeriod is narrower than the kind's policy": {
			opts: crcache.Options{ByObject: map[client.Object]crcache.ByObject{configMaps: {Namespaces: map[string]crcache.Config{"red": {SyncPeriod: minute}, "blue": {}}}}},
			ours: Options{ByObject: map[client.Object]KindOptions{configMaps: {Resync: resync.Policy{Period: time.Hour, Rate: 2}}}}, namespace: "red",
			want: resync.Policy{Rate: 2}, synced: time.Minute,
		},
		"the kind's policy overrides a default namespace's SyncPeriod": {
			opts: crcache.Options{DefaultNamespaces: map[string]crcache.Config{"red": {}}, SyncPeriod: minute},
			ours: Options{ByObject: map[client.Object]KindOptions{configMaps: {Resync: resync.Policy{Period: time.Hour}}}}, namespace: "red",
			want: resync.Policy{Period: time.Hour},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.opts.Scheme, c.opts.Mapper = scheme.Scheme, fakeMapper()
			p, err := newPlan(c.opts, c.ours)
			must(t, err)
			got := p.of(configMapGVK, meta.RESTScopeNameNamespace)[c.namespace].inEffect()
			if c.synced != 0 {
				if got.Period < c.synced*9/10 || got.Period > c.synced*11/10 || !got.AsUpdate {
					t.Errorf("the period is %v, want %v ± 10 %%; it shows updates: %t", got.Period, c.synced, got.AsUpdate)
				}
				got.Period, got.AsUpdate = 0, false
			}
			if !timetable.Same(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// showSyncs adds a handler that says which objects it was shown again.
func showSyncs(t *testing.T, c *Cache, like client.Object, told chan<- string) {
	t.Helper()
	i := informerOf(t, c, like, crcache.BlockUntilSynced(false))
	handle(t, i, crtools.ResourceEventHandlerFuncs{UpdateFunc: func(before, after any) {
		if before != after { // a Sync shows the very same object twice
			t.Errorf("an update of %v", after)
		}
		select {
		case told <- fmt.Sprintf("%T %s", like, after.(client.Object).GetName()):
		case <-t.Context().Done():
		}
	}})
}

func metadataConfigMap() client.Object { return kinded(configMapGVK, &metav1.PartialObjectMetadata{}) }

// await reads what is told until each of these was.
func await(t *testing.T, told <-chan string, want ...string) {
	t.Helper()
	missing := map[string]bool{}
	for _, w := range want {
		missing[w] = true
	}
	for len(missing) > 0 {
		select {
		case got := <-told:
			delete(missing, got)
		case <-t.Context().Done():
			t.Fatalf("nobody was told of %v", missing)
		}
	}
}

// TestSetResync sees a policy that is changed while the cache runs followed by each
// form of the kind, by those that are made later, and by nobody else.
func TestSetResync(t *testing.T) {
	f := newFakeAPI(t, configMap("red", "a"), configMap("red", "b"))
	c := newCache(t, f, crcache.Options{}, Options{})
	told := make(chan string)
	showSyncs(t, c, configMaps, told)
	showSyncs(t, c, mapOf(configMapGVK), told)
	start(t, c)
	must(t, c.SetResync(configMaps, resync.Policy{Period: 5 * time.Millisecond, Selector: parse(t, "name=b")}))
	showSyncs(t, c, metadataConfigMap(), told)
	for range 3 {
		await(t, told, "*v1.ConfigMap b", "*unstructured.Unstructured b", "*v1.PartialObjectMetadata b")
	}
	must(t, c.SetResync(mapOf(configMapGVK), resync.Policy{}))
	for _, kind := range c.Status() {
		policy := kind.Informer.Scopes[0].Resync
		if policy.Period < 9*time.Hour || policy.Selector != nil || kind.Informer.Subscribers[0].Resync[0].Period != policy.Period {
			t.Errorf("without a policy of its own %s has %+v", kind.Name, policy)
		}
		if next := time.Until(kind.Informer.Resync.Next); next < 8*time.Hour {
			t.Errorf("%s is resynced next in %v", kind.Name, next)
		}
	}
	must(t, c.SetDefaultResync(resync.Policy{Period: 5 * time.Millisecond}))
	await(t, told, "*v1.ConfigMap a", "*v1.ConfigMap b", "*unstructured.Unstructured a", "*v1.PartialObjectMetadata a")
	must(t, c.SetDefaultResync(resync.Policy{Period: resync.Never}))
	for what, err := range map[string]error{
		"Rate":   c.SetResync(configMaps, resync.Policy{Rate: -1}),
		"Jitter": c.SetDefaultResync(resync.Policy{Jitter: 1.5}),
		"find":   c.SetResync(&unregistered{}, resync.Policy{}),
	} {
		if err == nil || what != "find" && !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestResyncFollowsThePlan changes policies while namespaces come and kinds are made.
// In the end each has the last policy.
func TestResyncFollowsThePlan(t *testing.T) {
	f := newFakeAPI(t, configMap("red", "a"))
	for n := range 20 {
		c := newCache(t, f, limitedTo("red"), Options{Default: KindOptions{Resync: resync.Policy{Period: time.Hour}}})
		showSyncs(t, c, configMaps, nil)
		stop := start(t, c)
		want := resync.Policy{Period: time.Minute, Rate: float64(n)}
		g, done := lifecycle.New(t.Context()), make(chan struct{})
		finish := func() { done <- struct{}{} }
		g.Guest("policy", func(context.Context) {
			defer finish()
			if err := c.SetResync(configMaps, want); err != nil {
				t.Error(err)
			}
		})
		g.Guest("namespace", func(ctx context.Context) {
			defer finish()
			if err := c.AddNamespace(ctx, "blue", crcache.Config{}); err != nil {
				t.Error(err)
			}
		})
		g.Guest("form", func(ctx context.Context) {
			defer finish()
			if _, err := c.GetInformer(ctx, metadataConfigMap()); err != nil {
				t.Error(err)
			}
		})
		for range 3 {
			<-done
		}
		if err := c.SetDefaultResync(resync.Policy{Period: time.Second}); err != nil { // which overrides nothing
			t.Fatal(err)
		}
		for _, kind := range c.Status() {
			for _, scope := range kind.Informer.Scopes {
				if !timetable.Same(scope.Resync, want) {
					t.Errorf("%s in %s has %+v, want %+v", kind.Name, scope.Namespace, scope.Resync, want)
				}
			}
			if len(kind.Informer.Scopes) != 2 {
				t.Errorf("%s has %d scopes", kind.Name, len(kind.Informer.Scopes))
			}
		}
		stop()
	}
}

// TestResyncOnDemand sees what is asked for shown to the handlers, whatever their
// policy is.
func TestResyncOnDemand(t *testing.T) {
	f := newFakeAPI(t, configMap("red", "a"), configMap("red", "b"))
	c := newCache(t, f, crcache.Options{}, Options{Default: KindOptions{Resync: resync.Policy{Period: resync.Never}}})
	var notStarted *crcache.ErrCacheNotStarted
	if err := errors.Join(c.Resync(t.Context(), configMaps, nil), c.Relist(t.Context(), configMaps)); !errors.As(err, &notStarted) {
		t.Errorf("before Start: %v", err)
	}
	told := make(chan string)
	showSyncs(t, c, configMaps, told)
	stop := start(t, c)
	must(t, c.Resync(t.Context(), configMaps, parse(t, "name=b")))
	if got := <-told; got != "*v1.ConfigMap b" {
		t.Errorf("shown %s", got)
	}
	must(t, c.Resync(t.Context(), configMaps, nil))
	await(t, told, "*v1.ConfigMap a", "*v1.ConfigMap b")
	for what, err := range map[string]error{
		"there is no informer for v1 Secret":                                   c.Resync(t.Context(), &corev1.Secret{}, nil),
		"there is no informer for v1 ConfigMap (metadata)":                     c.Relist(t.Context(), metadataConfigMap()),
		"resync *cache.unregistered: ":                                         c.Resync(t.Context(), &unregistered{}, nil),
		"look for our cache: it is a *cache.foreign, which is not one of ours": isOurs(&foreign{}),
		"look for our cache: it is a <nil>, which is not one of ours":          isOurs(nil),
	} {
		if err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("got %v, want an error about %q", err, what)
		}
	}
	if found, err := Unwrap(c); found != c || err != nil {
		t.Errorf("our cache is %v, %v", found, err)
	}
	stop()
	if err := c.Resync(t.Context(), configMaps, nil); !errors.Is(err, engine.ErrStopped) {
		t.Errorf("when it has stopped: %v", err)
	}
}

// foreign is a cache of somebody else's.
type foreign struct{ crcache.Cache }

func isOurs(c crcache.Cache) error {
	_, err := Unwrap(c)
	return err
}

// TestRelist sees the kind listed once more in each namespace, and handlers told what
// Unchanged says.
func TestRelist(t *testing.T) {
	for _, shows := range []bool{true, false} {
		f := newFakeAPI(t, configMap("red", "a"), configMap("blue", "b"))
		c := newCache(t, f, limitedTo("red", "blue"), Options{Default: KindOptions{ShowUnchanged: &shows}})
		told := make(chan string, 10)
		showSyncs(t, c, configMaps, told)
		start(t, c)
		before := f.lists()
		must(t, c.Relist(t.Context(), configMaps))
		after := f.lists()
		for _, namespace := range []string{"red", "blue"} {
			path := "/api/v1/namespaces/" + namespace + "/configmaps?&"
			if after[path] != before[path]+1 {
				t.Errorf("%s was listed %d times, and then %d", path, before[path], after[path])
			}
		}
		if shows {
			await(t, told, "*v1.ConfigMap a", "*v1.ConfigMap b")
		}
		must(t, c.Resync(t.Context(), configMaps, parse(t, "name=a")))
		if got := <-told; got != "*v1.ConfigMap a" || len(told) > 0 {
			t.Errorf("after the relist %s was shown, and %d others", got, len(told))
		}
	}
}

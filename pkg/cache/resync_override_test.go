package cache

import (
	"fmt"
	"math"
	"testing"
	"time"

	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/internal/engine/timetable"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// follows subscribes somebody with a policy of his own to a kind.
func follows(t *testing.T, c *Cache, name string, own resync.Policy) (syncs chan delta.ResyncTerms, effective func() resync.Policy) {
	t.Helper()
	i := informerOf(t, c, configMaps)
	syncs = make(chan delta.ResyncTerms)
	core := i.(interface{ Core() *engine.Informer[any] }).Core()
	_, err := core.Subscribe(func(d *delta.Delta[any]) {
		if d.Resync() == nil {
			return
		}
		select {
		case syncs <- *d.Resync():
		case <-t.Context().Done():
		}
	}, informer.SubscribeOptions{Name: name, Resync: own})
	must(t, err)
	nth := len(core.Status().Subscribers) - 1
	return syncs, func() resync.Policy { return core.Status().Subscribers[nth].Resync[0] }
}

// A policy that is set while the cache runs overrides what handlers came with. The zero
// policy goes back to it.
func TestWhatIsSetReachesHandlersWithAPolicyOfTheirOwn(t *testing.T) {
	f := newFakeAPI(t, configMap("red", "a"))
	c := newCache(t, f, crcache.Options{}, Options{})
	start(t, c)
	daily := resync.Policy{Period: 24 * time.Hour, Spread: resync.OverPeriod, OnlyIfNotReconciledFor: time.Hour}
	syncs, web := follows(t, c, "web: v1 ConfigMap", daily)
	_, never := follows(t, c, "db: v1 ConfigMap", resync.Policy{Period: resync.Never})
	_, open := follows(t, c, "", resync.Policy{})
	expect := func(what string, want ...resync.Policy) {
		t.Helper()
		for n, effective := range []func() resync.Policy{web, never, open} {
			got := effective()
			if got.AsUpdate { // a SyncPeriod, with its jitter
				got = resync.Policy{}
			}
			if !timetable.Same(got, want[n]) {
				t.Fatalf("%s: handler %d has %+v, want %+v", what, n, got, want[n])
			}
		}
	}
	own := []resync.Policy{daily, {Period: resync.Never}, {}}
	expect("at first", own...)
	must(t, c.SetDefaultResync(resync.Policy{Period: time.Hour}))
	expect("the default", daily, resync.Policy{Period: resync.Never}, resync.Policy{Period: time.Hour})
	must(t, c.SetDefaultResync(resync.Policy{}))

	must(t, c.SetResync(configMaps, resync.Policy{Period: 5 * time.Millisecond}))
	short := resync.Policy{Period: 5 * time.Millisecond}
	expect("by kind", resync.Policy{Period: 5 * time.Millisecond, Spread: resync.OverPeriod, OnlyIfNotReconciledFor: time.Hour}, short, short)
	for range 3 {
		if terms := <-syncs; terms.OnlyIfNotReconciledFor != time.Hour || terms.AsUpdate {
			t.Errorf("a Sync has the terms %+v", terms)
		}
	}
	_, late := follows(t, c, "late", daily)
	if got := late(); got.Period != short.Period {
		t.Errorf("who comes later has %+v", got)
	}
	must(t, c.SetResync(configMaps, resync.Policy{}))
	expect("when all is taken back", own...)
}

// A policy that is set while the cache runs leaves to ByObject what it does not say itself,
// and the zero policy goes back to that.
func TestWhatIsSetLeavesTheRestToByObject(t *testing.T) {
	f := newFakeAPI(t, configMap("red", "a"))
	configured := resync.Policy{Period: time.Hour, Spread: resync.OverPeriod, Rate: 10, Selector: parse(t, "name=a")}
	c := newCache(t, f, crcache.Options{}, Options{
		Default:  KindOptions{Resync: resync.Policy{Period: time.Minute, Rate: 5}},
		ByObject: map[client.Object]KindOptions{configMaps: {Resync: configured}},
	})
	start(t, c)
	_, effective := follows(t, c, "", resync.Policy{})
	for _, tt := range []struct{ set, want resync.Policy }{
		{resync.Policy{}, configured},
		{resync.Policy{Period: time.Second}, resync.Policy{Period: time.Second, Spread: resync.OverPeriod, Rate: 10, Selector: configured.Selector}},
		{resync.Policy{Rate: 1}, resync.Policy{Period: time.Hour, Spread: resync.OverPeriod, Rate: 1, Selector: configured.Selector}},
		{resync.Policy{}, configured},
	} {
		must(t, c.SetResync(configMaps, tt.set))
		if got := effective(); !timetable.Same(got, tt.want) {
			t.Errorf("after SetResync of %+v it is %+v, want %+v", tt.set, got, tt.want)
		}
	}
}

// A SyncPeriod that is as long as can be means as good as never, and not all the time.
func TestJitterOfALongPeriod(t *testing.T) {
	const period = math.MaxInt64 * time.Nanosecond
	for range 100 {
		if got := jittered(period); got < period/10*9-time.Hour {
			t.Fatalf("a period of %v becomes one of %v", period, got)
		}
	}
}

// A kind remembers nothing of the policies of namespaces that are gone.
func TestPoliciesOfNamespacesThatAreGoneAreForgotten(t *testing.T) {
	f := newFakeAPI(t)
	c := newCache(t, f, limitedTo("red"), Options{})
	informerOf(t, c, configMaps)
	start(t, c)
	for n := range 3 {
		namespace := fmt.Sprint("n", n)
		must(t, c.AddNamespace(t.Context(), namespace, crcache.Config{}))
		must(t, c.SetResync(configMaps, resync.Policy{Period: time.Duration(n+1) * time.Hour}))
		must(t, c.RemoveNamespace(t.Context(), namespace, informer.Silently))
	}
	for _, k := range *c.kinds.Load() {
		k.resyncing.Lock()
		if len(k.resyncs) != 1 {
			t.Errorf("the policies of %d namespaces are remembered: %v", len(k.resyncs), k.resyncs)
		}
		k.resyncing.Unlock()
	}
}

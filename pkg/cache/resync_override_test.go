package cache

import (
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/toolscache"
)

// follows subscribes somebody with a policy of his own to a kind.
func follows(t *testing.T, c *Cache, name string, own ResyncPolicy) (syncs chan delta.ResyncTerms, effective func() ResyncPolicy) {
	t.Helper()
	i, err := c.GetInformer(t.Context(), configMaps)
	if err != nil {
		t.Fatal(err)
	}
	syncs = make(chan delta.ResyncTerms)
	sub, err := i.(*toolscache.SharedInformer).Core().Subscribe(func(d *delta.Delta[any]) {
		if d.Resync() == nil {
			return
		}
		select {
		case syncs <- *d.Resync():
		case <-t.Context().Done():
		}
	}, engine.SubscribeOptions{ListenerOptions: engine.ListenerOptions{Name: name}, Resync: own})
	if err != nil {
		t.Fatal(err)
	}
	return syncs, func() ResyncPolicy { return sub.ResyncPolicies()[0] }
}

// What is set while the cache runs overrides what handlers came with: by kind, and
// before that by name. The zero policy goes back to it.
func TestWhatIsSetReachesHandlersWithAPolicyOfTheirOwn(t *testing.T) {
	f := newFakeAPI(t)
	f.put(configMap("red", "a"))
	c := newCache(t, f, crcache.Options{}, Options{})
	start(t, c)
	daily := ResyncPolicy{Period: 24 * time.Hour, Spread: OverPeriod, Lane: 3}
	syncs, web := follows(t, c, "web: v1 ConfigMap", daily)
	_, never := follows(t, c, "db: v1 ConfigMap", ResyncPolicy{Period: NeverResync})
	_, open := follows(t, c, "", ResyncPolicy{})
	expect := func(what string, want ...ResyncPolicy) {
		t.Helper()
		for n, effective := range []func() ResyncPolicy{web, never, open} {
			got := effective()
			if got.AsUpdate { // a SyncPeriod, with its jitter
				got = ResyncPolicy{}
			}
			if !got.Equal(want[n]) {
				t.Fatalf("%s: handler %d has %+v, want %+v", what, n, got, want[n])
			}
		}
	}
	set := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	own := []ResyncPolicy{daily, {Period: NeverResync}, {}}
	expect("at first", own...)
	set(c.SetDefaultResync(ResyncPolicy{Period: time.Hour}))
	expect("the default", daily, ResyncPolicy{Period: NeverResync}, ResyncPolicy{Period: time.Hour})
	set(c.SetDefaultResync(ResyncPolicy{}))

	set(c.SetResync(configMaps, ResyncPolicy{Period: 5 * time.Millisecond}))
	short := ResyncPolicy{Period: 5 * time.Millisecond}
	expect("by kind", ResyncPolicy{Period: 5 * time.Millisecond, Spread: OverPeriod, Lane: 3}, short, short)
	for range 3 {
		if terms := <-syncs; terms.Lane != 3 || terms.AsUpdate {
			t.Errorf("a Sync has the terms %+v", terms)
		}
	}
	_, late := follows(t, c, "late", daily)
	if got := late(); got.Period != short.Period {
		t.Errorf("who comes later has %+v", got)
	}
	set(c.SetHandlerResync("web", configMaps, ResyncPolicy{Period: time.Hour, Spread: AllAtOnce}))
	expect("by name", ResyncPolicy{Period: time.Hour, Spread: AllAtOnce, Lane: 3}, short, short)
	set(c.SetHandlerResync("web: v1 ConfigMap", configMaps, ResyncPolicy{Lane: 7}))
	set(c.SetHandlerResync("db: v1 ConfigMap", configMaps, ResyncPolicy{Period: NeverResync}))
	expect("by the whole name", ResyncPolicy{Period: time.Hour, Spread: AllAtOnce, Lane: 7}, ResyncPolicy{Period: NeverResync}, short)
	set(c.SetResync(configMaps, ResyncPolicy{}))
	expect("by name alone", ResyncPolicy{Period: time.Hour, Spread: AllAtOnce, Lane: 7}, ResyncPolicy{Period: NeverResync}, ResyncPolicy{})
	set(errors.Join(c.SetHandlerResync("web", configMaps, ResyncPolicy{}), c.SetHandlerResync("web: v1 ConfigMap", configMaps, ResyncPolicy{}), c.SetHandlerResync("db: v1 ConfigMap", configMaps, ResyncPolicy{})))
	expect("when all is taken back", own...)
}

// A kind that is made later has what was set before, and what makes no sense is refused.
func TestHandlersAreOverriddenBeforeThereAreAny(t *testing.T) {
	f := newFakeAPI(t)
	c := newCache(t, f, crcache.Options{}, Options{ByObject: map[client.Object]KindOptions{configMaps: {Resync: ResyncPolicy{Period: time.Minute}}}})
	start(t, c)
	if err := c.SetHandlerResync("web", configMaps, ResyncPolicy{Period: time.Hour}); err != nil {
		t.Fatal(err)
	}
	_, web := follows(t, c, "web: v1 ConfigMap", ResyncPolicy{})
	_, other := follows(t, c, "webs: v1 ConfigMap", ResyncPolicy{})
	if got := web(); got.Period != time.Hour {
		t.Errorf("who is named has %+v", got)
	}
	if got := other(); got.Period != time.Minute {
		t.Errorf("who is not named has %+v", got)
	}
	for want, err := range map[string]error{
		"the name is empty": c.SetHandlerResync("", configMaps, ResyncPolicy{}),
		`"web"`:             c.SetHandlerResync("web", &corev1.ConfigMap{}, ResyncPolicy{Rate: -1}),
		"find":              c.SetHandlerResync("web", &unregistered{}, ResyncPolicy{}),
	} {
		if err == nil || want != "find" && !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error about %q", err, want)
		}
	}
}

// What is set while the cache runs leaves to ByObject what it does not say itself, and the
// zero policy goes back to that.
func TestWhatIsSetLeavesTheRestToByObject(t *testing.T) {
	f := newFakeAPI(t)
	f.put(configMap("red", "a"))
	configured := ResyncPolicy{Period: time.Hour, Spread: OverPeriod, Rate: 10, Selector: parse(t, "name=a")}
	c := newCache(t, f, crcache.Options{}, Options{
		Default:  KindOptions{Resync: ResyncPolicy{Period: time.Minute, Rate: 5}},
		ByObject: map[client.Object]KindOptions{configMaps: {Resync: configured}},
	})
	start(t, c)
	_, effective := follows(t, c, "", ResyncPolicy{})
	for _, tt := range []struct{ set, want ResyncPolicy }{
		{ResyncPolicy{}, configured},
		{ResyncPolicy{Period: time.Second}, ResyncPolicy{Period: time.Second, Spread: OverPeriod, Rate: 10, Selector: configured.Selector}},
		{ResyncPolicy{Rate: 1}, ResyncPolicy{Period: time.Hour, Spread: OverPeriod, Rate: 1, Selector: configured.Selector}},
		{ResyncPolicy{}, configured},
	} {
		if err := c.SetResync(configMaps, tt.set); err != nil {
			t.Fatal(err)
		}
		if got := effective(); !got.Equal(tt.want) {
			t.Errorf("after SetResync of %+v it is %+v, want %+v", tt.set, got, tt.want)
		}
	}
}

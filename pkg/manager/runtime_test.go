package manager_test

import (
	"net/http"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlmanager "sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/delta-runtime/delta-runtime/internal/managed"
	"github.com/delta-runtime/delta-runtime/pkg/inspect"
	"github.com/delta-runtime/delta-runtime/pkg/manager"
)

// hidden is a cache around another one. Nobody can tell what is in it.
type hidden struct{ crcache.Cache }

// hiding is a client around another one. Nobody can tell what is in it.
type hiding struct{ client.Client }

// hideCache has a NewCache of the user's wrap what was chosen before.
func hideCache(opts *ctrlmanager.Options) {
	inner := opts.NewCache
	opts.NewCache = func(config *rest.Config, opts crcache.Options) (crcache.Cache, error) {
		c, err := inner(config, opts)
		return hidden{c}, err
	}
}

// hideClient does so with NewClient.
func hideClient(opts *ctrlmanager.Options) {
	inner := opts.NewClient
	opts.NewClient = func(config *rest.Config, opts client.Options) (client.Client, error) {
		c, err := inner(config, opts)
		return hiding{c}, err
	}
}

// TestEachManagerHasARuntime makes two managers with the same options, and looks who knows their Runtimes. The
// managers share an HTTP client, and their caches have another one, so neither tells them apart.
func TestEachManagerHasARuntime(t *testing.T) {
	for name, c := range map[string]struct {
		cache, client       bool // that they are hidden
		byCache, byClient   bool // that they know the Runtime
		remembers, inWrites bool // that the client says what it has written, and that the Runtime knows it
	}{
		"as they are made":    {byCache: true, byClient: true, remembers: true, inWrites: true},
		"a cache that hides":  {cache: true, byClient: true, remembers: true, inWrites: true},
		"a client that hides": {client: true, byCache: true, inWrites: true},
		"both of them hide":   {cache: true, client: true, inWrites: true},
	} {
		t.Run(name, func(t *testing.T) {
			opts := options()
			opts.Cache.HTTPClient = &http.Client{}
			must(t, manager.Configure(&opts))
			var made []crcache.Cache
			inner := opts.NewCache
			opts.NewCache = func(config *rest.Config, opts crcache.Options) (crcache.Cache, error) {
				all, err := inner(config, opts)
				made = append(made, all)
				return all, err
			}
			if c.cache {
				hideCache(&opts)
			}
			if c.client {
				hideClient(&opts)
			}
			for range 2 {
				m, err := ctrlmanager.New(nowhere, opts)
				must(t, err)
				of := managed.Of(made[len(made)-1])
				if of == nil {
					t.Fatal("the cache has no Runtime")
				}
				byCache, byClient := managed.Of(m.GetCache()), managed.Of(m.GetClient())
				if (byCache == of) != c.byCache || (byClient == of) != c.byClient || !c.byCache && byCache != nil || !c.byClient && byClient != nil {
					t.Errorf("the cache leads to %p, the client to %p, and the Runtime is %p", byCache, byClient, of)
				}
				if (manager.OwnWrites(m.GetClient()) != nil) != c.remembers || (of.Writes != nil) != c.inWrites {
					t.Errorf("the client remembers %v, and the Runtime has %v", manager.OwnWrites(m.GetClient()), of.Writes)
				}
				if c.remembers && manager.OwnWrites(m.GetClient()) != of.Writes {
					t.Error("the Runtime has the writes of another client")
				}
				tryInspectors(t, m, c.byCache || c.byClient)
			}
			if managed.Of(made[0]) == managed.Of(made[1]) {
				t.Error("two managers have one Runtime")
			}
		})
	}
}

// tryInspectors adds two inspectors to a manager that can have one or none.
func tryInspectors(t *testing.T, m ctrlmanager.Manager, can bool) {
	t.Helper()
	want := []string{"", "this manager has one already"}
	if !can {
		want = []string{"which is not one of ours", "which is not one of ours"}
	}
	for i, want := range want {
		err := manager.AddInspector(m, inspect.Options{BindAddress: "127.0.0.1:0"})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("inspector %d: the error is %v, want %q in it", i, err, want)
		}
	}
}

// TestManagersThatAreMadeAtOnce makes three managers with the same options and the same HTTP client: the caches first,
// and then the clients. Each client leads to its own manager's Runtime. The last manager has two caches of ours, so its
// client leads to none.
func TestManagersThatAreMadeAtOnce(t *testing.T) {
	opts := options()
	must(t, manager.Configure(&opts))
	shared := &http.Client{}
	configs := []*rest.Config{rest.CopyConfig(nowhere), rest.CopyConfig(nowhere), rest.CopyConfig(nowhere)}
	var caches []crcache.Cache
	for _, config := range append(configs, configs[2]) {
		mapper, _ := pods(config, shared)
		c, err := opts.NewCache(config, crcache.Options{HTTPClient: shared, Mapper: mapper})
		must(t, err)
		caches = append(caches, c)
	}
	for i, config := range configs {
		mapper, _ := pods(config, shared)
		c, err := opts.NewClient(config, client.Options{HTTPClient: shared, Mapper: mapper})
		must(t, err)
		want := managed.Of(caches[i])
		if i == 2 {
			want = nil
		}
		if got := managed.Of(c); got != want {
			t.Errorf("client %d leads to %p, want %p", i, got, want)
		}
		again, err := opts.NewClient(config, client.Options{HTTPClient: shared, Mapper: mapper})
		if err != nil || managed.Of(again) != nil {
			t.Errorf("another client leads to %p, %v", managed.Of(again), err)
		}
	}
}

// TestManagersThatShareAClient has the first manager's client be that of a second one, too, over a cache that hides. Each
// manager's client leads to its own Runtime, and both have the same writes.
func TestManagersThatShareAClient(t *testing.T) {
	first, second := options(), options()
	must(t, manager.Configure(&first))
	one, err := ctrlmanager.New(nowhere, first)
	must(t, err)
	of := managed.Of(one.GetCache())
	second.NewClient = func(*rest.Config, client.Options) (client.Client, error) { return one.GetClient(), nil }
	must(t, manager.Configure(&second))
	var own *managed.Runtime
	inner := second.NewCache
	second.NewCache = func(config *rest.Config, opts crcache.Options) (crcache.Cache, error) {
		c, err := inner(config, opts)
		own = managed.Of(c)
		return hidden{c}, err
	}
	two, err := ctrlmanager.New(nowhere, second)
	must(t, err)
	if got := managed.Of(two.GetCache(), two.GetClient()); got != own || own == nil || managed.Of(one.GetClient()) != of {
		t.Errorf("the second manager's parts lead to %p, want %p; the first manager has %p", got, own, of)
	}
	if writes := manager.OwnWrites(two.GetClient()); writes == nil || writes != manager.OwnWrites(one.GetClient()) || own.Writes != writes {
		t.Errorf("the managers have the writes %v and %v", manager.OwnWrites(one.GetClient()), writes)
	}
}

package manager_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlmanager "sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/delta-runtime/delta-runtime/pkg/cache"
	"github.com/delta-runtime/delta-runtime/pkg/manager"
	ourcache "github.com/delta-runtime/delta-runtime/pkg/toolscache"
)

// nowhere is an API server that does not exist.
var nowhere = &rest.Config{Host: "http://127.0.0.1:1"}

// pods is a mapper that knows pods and asks nobody.
func pods(*rest.Config, *http.Client) (meta.RESTMapper, error) {
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(corev1.SchemeGroupVersion.WithKind("Pod"), meta.RESTScopeNamespace)
	return mapper, nil
}

// options are those of a manager that listens to nothing and asks nobody.
func options() ctrlmanager.Options {
	return ctrlmanager.Options{
		MapperProvider: pods,
		Metrics:        metricsserver.Options{BindAddress: "0"},
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestManagerHasOurCache(t *testing.T) {
	configured := options()
	configured.Cache.ReaderFailOnMissingInformer = true
	must(t, manager.Configure(&configured, manager.WithCache(cache.Options{ListsAtOnce: 3})))
	mgr, err := ctrlmanager.New(nowhere, configured)
	must(t, err)
	if _, ours := mgr.GetCache().(*cache.Cache); !ours {
		t.Errorf("the manager's cache is a %T", mgr.GetCache())
	}
	err = mgr.GetClient().Get(t.Context(), client.ObjectKey{Namespace: "team", Name: "web"}, &corev1.Pod{})
	var uncached *crcache.ErrResourceNotCached
	if !errors.As(err, &uncached) {
		t.Errorf("the client does not read from the cache, or the cache was not given its options: Get returned %v", err)
	}
}

// newManager makes a manager over our cache.
func newManager(config *rest.Config, opts ctrlmanager.Options, with ...manager.Option) (ctrlmanager.Manager, error) {
	if err := manager.Configure(&opts, with...); err != nil {
		return nil, err
	}
	return ctrlmanager.New(config, opts)
}

func TestOptionsThatMeanNothing(t *testing.T) {
	someCache := func(*rest.Config, crcache.Options) (crcache.Cache, error) { return nil, errors.New("not to be called") }
	for _, c := range []struct {
		name string
		opts ctrlmanager.Options
		more cache.Options
		want string
	}{
		{"a cache of the user's", ctrlmanager.Options{NewCache: someCache}, cache.Options{}, "NewCache is set already"},
		{"informers of the user's", ctrlmanager.Options{Cache: crcache.Options{NewInformer: ourcache.NewSharedIndexInformer}}, cache.Options{}, "Cache.NewInformer is set"},
		{"what our cache refuses", options(), cache.Options{ListsAtOnce: -1}, "ListsAtOnce"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if mgr, err := newManager(nowhere, c.opts, manager.WithCache(c.more)); err == nil || mgr != nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("it is made as %v, %v; want an error that names %s", mgr, err, c.want)
			}
		})
	}
	if mgr, err := newManager(nil, options()); err == nil || mgr != nil {
		t.Errorf("without a config it is made as %v, %v", mgr, err)
	}
}

// TestConfigureRefuses looks that what it refuses stays as it was.
func TestConfigureRefuses(t *testing.T) {
	if err := manager.Configure(nil); err == nil || !strings.Contains(err.Error(), "nil") {
		t.Errorf("without options Configure returned %v", err)
	}
	opts := options()
	if err := manager.Configure(&opts, manager.WithCache(cache.Options{}), nil); err == nil || !strings.Contains(err.Error(), "option 1 is nil") || opts.NewCache != nil {
		t.Errorf("with a nil option Configure returned %v", err)
	}
	must(t, manager.Configure(&opts))
	if err := manager.Configure(&opts); err == nil {
		t.Error("a manager was configured twice, and nobody was told")
	}
	opts = options()
	opts.Cache.NewInformer = func(toolscache.ListerWatcher, runtime.Object, time.Duration, toolscache.Indexers) toolscache.SharedIndexInformer {
		return nil
	}
	if err := manager.Configure(&opts); err == nil || opts.NewCache != nil {
		t.Errorf("with informers of the user's Configure returned %v", err)
	}
}

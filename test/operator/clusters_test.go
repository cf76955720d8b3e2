package operator

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
	"github.com/delta-runtime/delta-runtime/pkg/cache"
)

// TestManyCachesInOneProcess runs a manager with several clusters, as an operator of many
// clusters does. One more cluster runs beside it, and ends while the others go on.
func TestManyCachesInOneProcess(t *testing.T) {
	config := administrator(t)
	api := directly(t, config)
	m := newManager(t, config, managerOptions())
	var reconcilers []*reconciler
	for i := range 3 {
		namespace := newNamespace(t, api)
		c := newCluster(t, config, namespace)
		must(t, m.Add(c))
		r := newReconciler(configMaps, c.GetClient())
		err := builder.ControllerManagedBy(m).Named(fmt.Sprint("cluster-", i)).WithOptions(ourQueue()).
			WatchesRawSource(source.Kind(c.GetCache(), &corev1.ConfigMap{}, &handler.TypedEnqueueRequestForObject[*corev1.ConfigMap]{})).
			Complete(r)
		must(t, err)
		create(t, api, configMaps, client.ObjectKey{Namespace: namespace, Name: fmt.Sprint("in-", i)})
		reconcilers = append(reconcilers, r)
	}
	started(t, m)
	for _, r := range reconcilers {
		r.awaitOwn(t, api)
	}

	// The first cluster and the one that ends have the same namespace.
	for key := range reconcilers[0].saw("") {
		beside := newCluster(t, config, key.Namespace)
		stop := startCluster(t, beside)
		if got, want := worldOf(t, beside.GetClient(), &corev1.ConfigMapList{}), reconcilers[0].saw(""); !got.equal(want) {
			t.Errorf("a second cache of the same kind has %v, want %v", got, want)
		}
		stop()
	}
	for _, r := range reconcilers {
		for key := range r.saw("") {
			change(t, api, configMaps.with(key, "2"))
		}
		r.awaitOwn(t, api)
		r.judge(t)
	}
}

// awaitOwn waits until the reconciler agrees with the server about one namespace. It must not
// have seen objects of another one.
func (r *reconciler) awaitOwn(t *testing.T, api client.Client) {
	t.Helper()
	await.Until(t, "a reconciler to see only its namespace", func() bool { return len(r.saw("")) == 1 })
	for key := range r.saw("") {
		awaitAgreement(t, r, api, key.Namespace)
	}
}

func newCluster(t *testing.T, config *rest.Config, namespace string) cluster.Cluster {
	t.Helper()
	c, err := cluster.New(config, func(o *cluster.Options) {
		o.Scheme, o.NewCache = newScheme(), cache.New
		o.Cache.DefaultNamespaces = map[string]crcache.Config{namespace: {}}
	})
	must(t, err)
	t.Cleanup(func() { controlplane.HangUp(c.GetHTTPClient()) })
	return c
}

// startCluster runs a cluster without a manager until stop is called.
func startCluster(t *testing.T, c cluster.Cluster) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := c.Start(ctx); err != nil {
			t.Errorf("the cluster ended with: %v", err)
		}
	})
	stop = sync.OnceFunc(func() {
		cancel()
		running.Wait()
	})
	t.Cleanup(stop)
	if !c.GetCache().WaitForCacheSync(ctx) {
		t.Fatal("the cluster has not synced")
	}
	return stop
}

// TestManagersLeaveNothingBehind starts and stops an operator fifty times.
func TestManagersLeaveNothingBehind(t *testing.T) {
	config := administrator(t)
	api := directly(t, config)
	namespace := newNamespace(t, api)
	for _, name := range []string{"a", "b", "c"} {
		create(t, api, configMaps, client.ObjectKey{Namespace: namespace, Name: name})
		create(t, api, widgets, client.ObjectKey{Namespace: namespace, Name: name})
	}
	want := worldOf(t, api, configMaps.list(), client.InNamespace(namespace))
	var connections *http.Client // all managers with the same configuration share them
	before := goleak.IgnoreCurrent()
	for range 50 {
		options := managerOptions()
		options.Cache.DefaultNamespaces = map[string]crcache.Config{namespace: {}}
		m := newManager(t, config, options)
		connections = m.GetHTTPClient()
		reconcilers := []*reconciler{newReconciler(configMaps, m.GetClient()), newReconciler(widgets, m.GetClient())}
		for _, r := range reconcilers {
			control(t, m, r)
		}
		again := newReconciler(configMaps, m.GetClient())
		err := builder.ControllerManagedBy(m).Named("again").WatchesRawSource(sources["our source"](m.GetCache())).WithOptions(ourQueue()).Complete(again)
		must(t, err)
		stop := started(t, m)
		await.Until(t, "the reconciler to see everything", func() bool { return reconcilers[0].saw(namespace).equal(want) })
		// The others are stopped at whatever point they have reached.
		if err := stop(); err != nil {
			t.Fatalf("the manager ended with: %v", err)
		}
		reconcilers[0].judge(t)
	}
	// Everything has to end soon after its manager.
	var left error
	for range 10 {
		controlplane.HangUp(connections)
		if left = goleak.Find(before); left == nil {
			return
		}
	}
	t.Errorf("something is left of fifty managers: %v", left)
}

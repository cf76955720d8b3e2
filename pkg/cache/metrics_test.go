package cache

import (
	"net/http"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	patiently "github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/scrape"
)

// TestMetricsOfAKind scrapes a cache that follows a kind, then one that has lost its server, and
// then two caches.
func TestMetricsOfAKind(t *testing.T) {
	const labels = `{form="",group="",kind="ConfigMap",version="v1"}`
	scrape.Read(t, metrics.Registry, "delta_") // without a cache, so that what other tests have counted is forgotten
	f := newFakeAPI(t, configMap("red", "a"), configMap("red", "b"))
	c := newCache(t, f, crcache.Options{}, Options{Default: KindOptions{Reflector: quickRetries}})
	stop := start(t, c)
	began := time.Now()
	must(t, get(t, c, "red", "a"))
	must(t, c.Relist(t.Context(), &corev1.ConfigMap{}))
	patiently.Until(t, "the watch to be open", func() bool { return c.Status()[0].Informer.Reflector.State == "Following" })
	got := scrape.Read(t, metrics.Registry, "delta_")
	for series, want := range map[string]float64{
		"delta_cache_synced" + labels:  1,
		"delta_cache_objects" + labels: 2,
		`delta_cache_state{form="",group="",kind="ConfigMap",state="Following",version="v1"}`:        1,
		`delta_cache_lists_total{form="",group="",kind="ConfigMap",reason="First",version="v1"}`:     1,
		`delta_cache_lists_total{form="",group="",kind="ConfigMap",reason="Requested",version="v1"}`: 1,
	} {
		if value, there := got[series]; value != want || !there {
			t.Errorf("%s is %v, want %v", series, value, want)
		}
	}
	if bytes := got["delta_cache_bytes"+labels]; bytes < 500 || bytes > 20_000 {
		t.Errorf("two ConfigMaps take %v bytes", bytes)
	}
	if at := got["delta_cache_last_heard_timestamp_seconds"+labels]; at < float64(began.Unix())-1 || at > float64(time.Now().Unix()+1) {
		t.Errorf("the server was last heard at %v, and the test began at %d", at, began.Unix())
	}
	if _, disconnected := got["delta_cache_disconnected_since_timestamp_seconds"+labels]; disconnected {
		t.Error("the kind is disconnected, and the server answers")
	}
	clientGos := scrape.Read(t, metrics.Registry, "informer_")
	const as = `{group="",name="delta-runtime",resource="configmaps",version="v1"}`
	if clientGos["informer_store_resource_version"+as] != 2 || clientGos["informer_processing_latency_seconds_count"+as] == 0 {
		t.Errorf("client-go's metrics are %v, want version 2", clientGos)
	}
	twice(t, f, labels)

	f.deny("configmaps", http.StatusServiceUnavailable)
	patiently.Until(t, "the metrics to say that the kind is disconnected", func() bool {
		return scrape.Read(t, metrics.Registry, "delta_")["delta_cache_disconnected_since_timestamp_seconds"+labels] >= float64(began.Unix())
	})
	stop()
	if c.runtime.Cache() != nil {
		t.Error("the cache is shown, and it has ended")
	}
	if got := scrape.Read(t, metrics.Registry, "delta_"); len(got) > 0 {
		t.Errorf("there are metrics of a cache that has ended: %v", got)
	}
}

// twice starts another cache for a while. Its series are those of the first.
func twice(t *testing.T, f *fakeAPI, labels string) {
	t.Helper()
	other := newCache(t, f, crcache.Options{}, Options{})
	stop := start(t, other)
	must(t, get(t, other, "red", "a"))
	got := scrape.Read(t, metrics.Registry, "delta_")
	if got["delta_cache_objects"+labels] != 4 || got["delta_cache_synced"+labels] != 1 {
		t.Errorf("two caches have %v objects, synced %v, want 4 and 1", got["delta_cache_objects"+labels], got["delta_cache_synced"+labels])
	}
	stop()
	if other.runtime.Cache() != nil {
		t.Error("the other cache is shown, and it has ended")
	}
}

package cache

import (
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	patiently "github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/scrape"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
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

// configMapsEverywhere reads the kind in both forms, so that it has an informer for each.
func configMapsEverywhere(t *testing.T, c *Cache, namespace string) {
	t.Helper()
	for _, obj := range []client.Object{&corev1.ConfigMap{}, metadataConfigMap()} {
		must(t, c.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "a"}, obj))
	}
}

// TestNoCounterFallsWithoutANamespace removes a namespace between two scrapes.
func TestNoCounterFallsWithoutANamespace(t *testing.T) {
	f := newFakeAPI(t, configMap("red", "a"), configMap("blue", "a"))
	c := newCache(t, f, limitedTo("red", "blue"), Options{})
	defer start(t, c)()
	configMapsEverywhere(t, c, "red")
	before := scrape.Read(t, metrics.Registry, "delta_")
	if lists := before[`delta_cache_lists_total{form="",group="",kind="ConfigMap",reason="First",version="v1"}`]; lists != 2 {
		t.Errorf("there were %v lists of two namespaces", lists)
	}
	must(t, c.RemoveNamespace(t.Context(), "red", informer.Silently))
	after := scrape.Read(t, metrics.Registry, "delta_")
	compared := 0
	for series, was := range before {
		if name, _, _ := strings.Cut(series, "{"); !strings.HasSuffix(name, "_total") && !strings.HasSuffix(name, "_count") &&
			!strings.HasSuffix(name, "_sum") && !strings.HasSuffix(name, "_bucket") {
			continue
		}
		compared++
		if value, there := after[series]; !there || value < was {
			t.Errorf("without a namespace %s is %v, and was %v", series, value, was)
		}
	}
	if compared < 4 {
		t.Errorf("%d series were compared: are they still found?", compared)
	}
}

// TestSeriesOfAKind counts the series that docs/metrics.md says a kind has.
func TestSeriesOfAKind(t *testing.T) {
	stated := scrape.Stated(t, "../../docs/metrics.md")
	f := newFakeAPI(t, configMap("red", "a"))
	c := newCache(t, f, crcache.Options{}, Options{Default: KindOptions{Reflector: quickRetries}})
	defer start(t, c)()
	configMapsEverywhere(t, c, "red")
	has := func(part string) (n int) {
		for _, line := range scrape.Lines(t, metrics.Registry, "delta_", "informer_") {
			if strings.Contains(line, part) {
				n++
			}
		}
		return n
	}
	const typed, metadata = `{form="",group="",kind="ConfigMap",`, `{form="metadata",group="",kind="ConfigMap",`
	kind, disconnected, subscriber := stated["a kind, in each form in which it is watched"], stated["a kind that is disconnected, more"], stated["a subscriber of a kind"]
	if has(typed) != kind || has(metadata) != kind {
		t.Errorf("a kind has %d and %d series, want %d", has(typed), has(metadata), kind)
	}
	if theirs := stated["a kind in client-go's metrics, whatever its forms"]; has(`resource="configmaps"`) != theirs {
		t.Errorf("client-go's metrics have %d series of a kind, want %d", has(`resource="configmaps"`), theirs)
	}
	i := informerOf(t, c, &corev1.ConfigMap{})
	handle(t, i, nobody{})
	if has(typed) != kind+subscriber {
		t.Errorf("with a subscriber a kind has %d series, want %d", has(typed), kind+subscriber)
	}
	f.deny("configmaps", 503)
	patiently.Until(t, "the kind to be disconnected", func() bool { return has("delta_cache_disconnected_since") == 2 })
	if has(typed) != kind+subscriber+disconnected {
		t.Errorf("a disconnected kind has %d series, want %d", has(typed), kind+subscriber+disconnected)
	}
}

// nobody ignores all events.
type nobody struct{}

func (nobody) OnAdd(any, bool)   {}
func (nobody) OnUpdate(any, any) {}
func (nobody) OnDelete(any)      {}

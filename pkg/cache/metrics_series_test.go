package cache

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/delta-runtime/delta-runtime/internal/testing/scrape"
	"github.com/delta-runtime/delta-runtime/pkg/informer"

	patiently "github.com/delta-runtime/delta-runtime/internal/testing/await"
)

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

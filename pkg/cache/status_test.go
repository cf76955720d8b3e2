package cache

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"

	patiently "github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// TestAKindThatIsDisconnectedForLongIsIll disconnects two caches from the server, and connects them
// again. One of the caches has a bound.
func TestAKindThatIsDisconnectedForLongIsIll(t *testing.T) {
	f := newFakeAPI(t, configMap("red", "a"))
	const bound = 500 * time.Millisecond
	quick := KindOptions{Reflector: quickRetries}
	bounded := newCache(t, f, crcache.Options{}, Options{Default: quick, StaleAfter: bound})
	boundless := newCache(t, f, crcache.Options{}, Options{Default: quick})
	for _, c := range []*Cache{bounded, boundless} {
		start(t, c)
		must(t, get(t, c, "red", "a"))
		patiently.Until(t, "the watch to be open", func() bool { return c.Status()[0].Informer.Reflector.State == "Following" })
		if s := c.Status()[0]; !s.DisconnectedSince.IsZero() || c.Healthz(nil) != nil {
			t.Fatalf("disconnected since %v, and Healthz returns %v, while the server answers", s.DisconnectedSince, c.Healthz(nil))
		}
	}

	gone := time.Now()
	f.deny("configmaps", http.StatusServiceUnavailable)
	patiently.Until(t, "Healthz to fail", func() bool { return bounded.Healthz(nil) != nil })
	if after := time.Since(gone); after < bound {
		t.Errorf("Healthz fails after %v, and the bound is %v", after, bound)
	}
	for _, want := range []string{"v1 ConfigMap shows the state of version ", "(disconnected since 20"} {
		patiently.Until(t, "Healthz to say "+want, func() bool { // in the midst of an attempt it says that there is one
			err := bounded.Healthz(nil)
			return err != nil && strings.Contains(err.Error(), want)
		})
	}
	if since := bounded.Status()[0].DisconnectedSince; since.Before(gone) || time.Since(since) < bound {
		t.Errorf("disconnected since %v, and the server was disconnected at %v", since, gone)
	}
	if err := boundless.Healthz(nil); err != nil {
		t.Errorf("without a bound Healthz returns %v", err)
	}

	f.deny("configmaps", 0)
	patiently.Until(t, "the kind to recover", func() bool { return bounded.Healthz(nil) == nil })
	if since := bounded.Status()[0].DisconnectedSince; !since.IsZero() {
		t.Errorf("after it has recovered it is disconnected since %v", since)
	}
}

// TestAStatusReadsWellAsJSON has a kind that lacks its server, with a policy, as JSON.
func TestAStatusReadsWellAsJSON(t *testing.T) {
	f := newFakeAPI(t, configMap("red", "a"))
	policy := resync.Policy{Period: time.Hour, Spread: resync.OverPeriod, Selector: labels.SelectorFromSet(labels.Set{"app": "web"})}
	c := newCache(t, f, crcache.Options{}, Options{Default: KindOptions{Reflector: quickRetries, Resync: policy}})
	start(t, c)
	must(t, get(t, c, "red", "a"))
	f.deny("configmaps", http.StatusServiceUnavailable)
	var text []byte // the end of the watch is an error, too, and may be the last one for a while
	patiently.Until(t, "the server's refusal", func() (refused bool) {
		var err error
		if text, err = json.Marshal(c.Status()); err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(text), "the server refuses this")
	})
	if strings.Contains(string(text), `"0001-`) {
		t.Errorf("the status shows a time that is none:\n%s", text)
	}
	for _, want := range []string{
		`"Name":"v1 ConfigMap"`, `"LastError":"`,
		`"Resync":{"period":"1h0m0s","spread":"OverPeriod","selector":"app=web"}`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the status lacks %s:\n%s", want, text)
		}
	}
}

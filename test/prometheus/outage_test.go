//go:build observability

package prometheus

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
)

// TestAnOutageIsSeen kills the API server under a running operator. Prometheus raises the alert DeltaKindDisconnected for
// each kind, and no other. The dashboard finds it, and the page says of each kind since when it is not heard. All of it
// ends when the server is back.
func TestAnOutageIsSeen(t *testing.T) {
	rules := readRules(t)
	rules.alert(t, "DeltaKindDisconnected").sooner(t, "> 120", "> 15", "2s")
	o := newOnlooker(t, rules)
	o.shows(t, disconnections{})
	if err := o.firing(t.Context(), 0); err != nil {
		t.Fatalf("before the outage: %v", err)
	}

	killed := time.Now()
	o.plane.KillAPIServer()
	await.Success(t, "an alert for each kind", func() error { return o.firing(t.Context(), len(o.kinds)) })
	t.Logf("%d alerts fire %v after the server was killed", len(o.kinds), time.Since(killed).Round(100*time.Millisecond))
	o.checkTexts(t)
	o.checkDashboard(t)
	disconnected, err := o.disconnected(t.Context())
	if err != nil || len(disconnected) != len(o.kinds) {
		t.Fatalf("the inspector's API says that these are disconnected: %v, error %v; want all of %q", disconnected, err, o.kinds)
	}
	o.shows(t, disconnected)

	must(t, o.plane.StartAPIServer(t.Context()))
	await.Success(t, "the end of all alerts", func() error { return o.firing(t.Context(), 0) })
	o.shows(t, disconnections{})
}

// firing returns an error unless so many alerts are firing. All must be DeltaKindDisconnected.
func (w *world) firing(ctx context.Context, want int) error {
	alerts, err := w.alerts(ctx)
	if err != nil {
		return err
	}
	fire := 0
	for _, a := range alerts {
		if a.State != "firing" {
			continue
		}
		fire++
		if a.Labels["alertname"] != "DeltaKindDisconnected" {
			return fmt.Errorf("there is the alert %v", a.Labels)
		}
	}
	if fire != want {
		return fmt.Errorf("%d alerts fire, want %d", fire, want)
	}
	return nil
}

// checkTexts looks at what people get to read.
func (w *world) checkTexts(t *testing.T) {
	t.Helper()
	alerts, err := w.alerts(t.Context())
	must(t, err)
	for i, a := range alerts {
		for name, text := range a.Annotations {
			if strings.Contains(text, "<no value>") || strings.Contains(text, "<error") || strings.Contains(text, "  ") {
				t.Errorf("the %s is %q", name, text)
			}
		}
		if kind := a.Labels["kind"]; kind == "" || !strings.Contains(a.Annotations["summary"], kind) {
			t.Errorf("the summary for kind %q is %q", kind, a.Annotations["summary"])
		}
		if i == 0 {
			t.Logf("%s\n%s", a.Annotations["summary"], a.Annotations["description"])
		}
	}
}

// checkDashboard evaluates those queries of the dashboard that find something only in an outage.
func (w *world) checkDashboard(t *testing.T) {
	t.Helper()
	queries := readDashboard(t).queries(t)
	maps.DeleteFunc(queries, func(query, _ string) bool {
		return !strings.Contains(query, "ALERTS{") && !strings.Contains(query, "delta_cache_disconnected_since_timestamp_seconds{")
	})
	if len(queries) < 3 {
		t.Errorf("only %v are about outages", queries)
	}
	if err := w.evaluate(t.Context(), queries, nil); err != nil {
		t.Error(err)
	}
}

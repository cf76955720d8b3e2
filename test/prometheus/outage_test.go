//go:build observability

package prometheus

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
)

// bearable is how long the server may be away before the alert of these tests fires.
const bearable = 10 * time.Second

// TestTheAlertOfARealOutage kills the API server, and sees each kind of a running operator raise
// the alert DeltaKindDeaf, and no other. The alert ends when the server is back.
func TestTheAlertOfARealOutage(t *testing.T) {
	rules := readRules(t)
	rules.alert(t, "DeltaKindDeaf").sooner(t, "> 120", fmt.Sprint("> ", bearable.Seconds()), "2s")
	w := newWorld(t, rules, 1)
	kinds, err := w.query(t.Context(), "delta_cache_synced")
	if err != nil || len(kinds) < 4 {
		t.Fatalf("the operator has %d kinds, error %v", len(kinds), err)
	}
	if err := w.firing(t.Context(), 0); err != nil {
		t.Fatalf("while all is well: %v", err)
	}
	before, err := w.query(t.Context(), "sum(delta_cache_objects)")
	if err != nil || len(before) != 1 {
		t.Fatalf("the operator has objects %v, error %v", before, err)
	}

	killed := time.Now()
	w.plane.KillAPIServer()
	await.Success(t, "an alert for each kind", func() error { return w.firing(t.Context(), len(kinds)) })
	fired := time.Now()
	t.Logf("%d alerts fire %v after the API server was killed, with a bound of %v", len(kinds), fired.Sub(killed).Round(time.Second), bearable)
	if fired.Sub(killed) < bearable {
		t.Errorf("they fired too soon")
	}
	w.checkTexts(t)
	w.checkDashboard(t)
	if after, err := w.query(t.Context(), "sum(delta_cache_objects)"); err != nil || len(after) != 1 || after[0].Value.number() != before[0].Value.number() {
		t.Errorf("readers have %v objects in the outage and had %v before, error %v", after, before, err)
	}

	if err := w.plane.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	back := time.Now()
	await.Success(t, "the end of all alerts", func() error { return w.firing(t.Context(), 0) })
	t.Logf("they end %v after it was ready again", time.Since(back).Round(time.Second))
	w.record(t, killed.Add(-5*time.Second))
}

// firing returns an error unless so many alerts are firing. All must be DeltaKindDeaf.
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
		if a.Labels["alertname"] != "DeltaKindDeaf" {
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
	if err != nil {
		t.Fatal(err)
	}
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
		return !strings.Contains(query, "ALERTS{") && !strings.Contains(query, "delta_cache_deaf_since_timestamp_seconds{")
	})
	if len(queries) < 3 {
		t.Errorf("only %v are about outages", queries)
	}
	if err := w.evaluate(t.Context(), queries, nil); err != nil {
		t.Error(err)
	}
}

// record writes how the outage looks in Prometheus to artifacts/prometheus/outage.json.
func (w *world) record(t *testing.T, from time.Time) {
	t.Helper()
	recorded := map[string][]series{}
	for _, expr := range []string{
		"time() - delta_cache_deaf_since_timestamp_seconds",
		"time() - delta_cache_last_heard_timestamp_seconds",
		"delta_cache_state == 1",
		"delta_cache_objects",
		"delta_cache_lists_total",
		`ALERTS{alertname="DeltaKindDeaf"}`,
	} {
		found, err := w.queryRange(t.Context(), expr, from, time.Now())
		if err != nil || len(found) == 0 {
			t.Errorf("%s has %d series in the outage, error %v", expr, len(found), err)
		}
		recorded[expr] = found
	}
	text, err := json.MarshalIndent(recorded, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(root, "artifacts", "prometheus")
	if err := os.MkdirAll(folder, 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "outage.json"), text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestAReplicaThatWaitsRaisesNoAlert has two replicas. The one that waits to be the leader has
// requests that grow old, as they should.
func TestAReplicaThatWaitsRaisesNoAlert(t *testing.T) {
	rules := readRules(t)
	old := rules.alert(t, "DeltaQueueOld").sooner(t, "> 300", "> 5", "")
	w := newWorld(t, rules, 2, "--leader-elect")
	await.Success(t, "requests to grow old", func() error {
		return w.holds(t.Context(), "delta_queue_oldest_seconds > 8")
	})
	if found, err := w.query(t.Context(), old.Expr); err != nil || len(found) > 0 {
		t.Errorf("the alert fires for %v, error %v", found, err)
	}
	if err := w.firing(t.Context(), 0); err != nil {
		t.Error(err)
	}
}

// Package scrape reads metrics as Prometheus does, for tests.
//
//	registry ──Gather──▶ families ──Read──▶ {name{label="value"}: number}
//	         ──GET /metrics──▶ text ──Lines──▶ the lines that are series
//
// # Concurrency
//
// It may be called from any goroutine.
//
// # Testing
//
// The tests of internal/inspect/metrics use it on metrics of known values.
package scrape

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"
)

// Read returns all series whose name begins with prefix, with their labels in order of their
// names. Of a histogram there are its _count, its _sum, and its buckets.
func Read(t testing.TB, from prometheus.Gatherer, prefix string) map[string]float64 {
	t.Helper()
	families, err := from.Gather()
	if err != nil {
		t.Fatalf("gather metrics: %v", err)
	}
	all := map[string]float64{}
	for _, f := range families {
		if !strings.HasPrefix(f.GetName(), prefix) {
			continue
		}
		for _, m := range f.GetMetric() {
			read(all, f.GetName(), m)
		}
	}
	return all
}

func read(all map[string]float64, name string, m *dto.Metric) {
	switch h := m.GetHistogram(); {
	case h != nil:
		all[series(name+"_count", m, "")] = float64(h.GetSampleCount())
		all[series(name+"_sum", m, "")] = h.GetSampleSum()
		for _, b := range h.GetBucket() {
			all[series(name+"_bucket", m, strconv.FormatFloat(b.GetUpperBound(), 'g', -1, 64))] = float64(b.GetCumulativeCount())
		}
	case m.GetCounter() != nil:
		all[series(name, m, "")] = m.GetCounter().GetValue()
	default:
		all[series(name, m, "")] = m.GetGauge().GetValue()
	}
}

// series is the name with its labels, as the text format has them.
func series(name string, m *dto.Metric, le string) string {
	var labels []string
	for _, l := range m.GetLabel() {
		labels = append(labels, fmt.Sprintf("%s=%q", l.GetName(), l.GetValue()))
	}
	if le != "" {
		labels = append(labels, fmt.Sprintf("le=%q", le))
	}
	return name + "{" + strings.Join(labels, ",") + "}"
}

// Lines returns the series of these prefixes, as a server of metrics writes them: each is a line.
func Lines(t testing.TB, from prometheus.Gatherer, prefixes ...string) (all []string) {
	t.Helper()
	answer := httptest.NewRecorder()
	promhttp.HandlerFor(from, promhttp.HandlerOpts{ErrorHandling: promhttp.HTTPErrorOnError}).
		ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	if answer.Code != http.StatusOK {
		t.Fatalf("/metrics answers %d: %s", answer.Code, answer.Body)
	}
	for line := range strings.Lines(answer.Body.String()) {
		for _, prefix := range prefixes {
			if strings.HasPrefix(line, prefix) {
				all = append(all, line)
			}
		}
	}
	return all
}

var stated = regexp.MustCompile(`(?m)^\| ([^|]+) \| ([0-9]+) \|$`)

// Stated returns how many series docs/metrics.md says that something has. The path is that of the
// page, and the words are those of the first column.
func Stated(t testing.TB, path string) map[string]int {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]int{}
	for _, row := range stated.FindAllStringSubmatch(string(text), -1) {
		n, err := strconv.Atoi(row[2])
		if err != nil {
			t.Fatal(err)
		}
		all[row[1]] = n
	}
	if len(all) == 0 {
		t.Fatalf("%s does not say how many series there are", path)
	}
	return all
}

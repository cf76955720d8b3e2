// Package scrape reads metrics as Prometheus does, for tests.
//
//	registry ──Gather──▶ families ──Read──▶ {name{label="value"}: number}
//
// # Concurrency
//
// It may be called from any goroutine.
//
// # Testing
//
// The tests of internal/metrics use it on metrics of known values.
package scrape

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
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

// Package scrape reads metrics as Prometheus does, for tests.
//
//	registry ──GET /metrics──▶ text ──Lines──▶ the lines that are series
//	                                ──Read───▶ {name{label="value"}: number}
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
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Read returns all series whose name begins with prefix, with their labels in order of their
// names. Of a histogram there are its _count, its _sum, and its buckets that end.
func Read(t testing.TB, from prometheus.Gatherer, prefix string) map[string]float64 {
	t.Helper()
	all := map[string]float64{}
	for _, line := range Lines(t, from, prefix) {
		at := strings.LastIndex(line, " ")
		series, text := line[:at], strings.TrimSpace(line[at:])
		value, err := strconv.ParseFloat(text, 64)
		switch {
		case err != nil:
			t.Fatalf("read %q: %v", line, err)
		case !strings.HasSuffix(series, "}"):
			all[series+"{}"] = value
		case !strings.HasSuffix(series, `le="+Inf"}`):
			all[series] = value
		}
	}
	return all
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
		if slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(line, prefix) }) {
			all = append(all, line)
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

//go:build observability

package prometheus

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
)

// server is a Prometheus.
type server struct {
	address string
	http    http.Client
}

// newServer starts a Prometheus that scrapes some addresses, and evaluates the rules, each
// second.
func newServer(t *testing.T, rules *ruleFile, targets []string) *server {
	t.Helper()
	path, folder := installed(t, "prometheus"), t.TempDir()
	s := &server{
		address: controlplane.FreeAddressForTest(t),
		http:    http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}},
	}
	config, err := json.Marshal(map[string]any{
		"global":     map[string]any{"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"},
		"rule_files": []string{rules.write(t, folder)},
		"scrape_configs": []any{map[string]any{
			"job_name":       "sample-operator",
			"static_configs": []any{map[string]any{"targets": targets, "labels": map[string]any{"namespace": "sample-operator-system"}}},
		}},
	})
	must(t, err)
	file := filepath.Join(folder, "prometheus.yaml")
	must(t, os.WriteFile(file, config, 0o600))
	run(t, "prometheus", func(ctx context.Context) *exec.Cmd {
		return exec.CommandContext(ctx, path, "--config.file="+file, "--storage.tsdb.path="+filepath.Join(folder, "data"), //nolint:gosec // which is on PATH
			"--web.listen-address="+s.address, "--log.level=warn")
	})
	await.Success(t, "Prometheus", func() error {
		_, err := s.query(t.Context(), "vector(1)")
		return err
	})
	return s
}

// series is a part of an answer.
type series struct {
	Metric map[string]string `json:"metric"`
	Value  sample            `json:"value"`
}

// sample is a number at a time.
type sample [2]any

// number returns the number, which Prometheus writes as text.
func (s sample) number() float64 {
	text, _ := s[1].(string)
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return n
}

// alert is an alert that is pending or firing.
type alert struct {
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	State       string            `json:"state"`
	ActiveAt    time.Time         `json:"activeAt"`
}

// query evaluates an expression now.
func (s *server) query(ctx context.Context, expr string) ([]series, error) {
	var data struct {
		Result []series `json:"result"`
	}
	err := s.get(ctx, "query", url.Values{"query": {expr}}, &data)
	return data.Result, err
}

// alerts returns all alerts that are pending or firing.
func (s *server) alerts(ctx context.Context) ([]alert, error) {
	var data struct {
		Alerts []alert `json:"alerts"`
	}
	err := s.get(ctx, "alerts", nil, &data)
	return data.Alerts, err
}

// holds returns an error while an expression finds nothing.
func (s *server) holds(ctx context.Context, expr string) error {
	found, err := s.query(ctx, expr)
	if err == nil && len(found) == 0 {
		err = errors.New("nothing has " + expr)
	}
	return err
}

// get asks Prometheus' API.
func (s *server) get(ctx context.Context, what string, parameters url.Values, data any) error {
	address := url.URL{Scheme: "http", Host: s.address, Path: "/api/v1/" + what, RawQuery: parameters.Encode()}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), http.NoBody)
	if err != nil {
		return err
	}
	response, err := s.http.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	var answer struct {
		Status string          `json:"status"`
		Error  string          `json:"error"`
		Data   json.RawMessage `json:"data"`
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return fmt.Errorf("read the answer %s: %w", response.Status, err)
	}
	if answer.Status != "success" {
		return fmt.Errorf("%s: %s", parameters.Get("query"), cmp.Or(answer.Error, response.Status))
	}
	return json.Unmarshal(answer.Data, data)
}

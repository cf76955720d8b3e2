//go:build observability

package prometheus

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
)

// empty has what finds nothing in an operator that runs well, with the reason.
var empty = map[string]string{
	"ALERTS{": "no alert fires",
	"delta_cache_disconnected_since_timestamp_seconds{job=~\".*\", namespace=~\".*\", kind=~\".*\"}": "there is no series while the server answers",
	"delta_cache_mutations_total": "nobody changes an object of the cache in place",
	"delta_cache_skipped_total":   "nothing is left out",
	"delta_cache_gaps_total":      "nothing is missed",
	"delta_hot_loops{":            "no request is called to no end",
	"delta_hot_loops_found_total": "no request is called to no end",
}

// dashboard is what these tests look at in a dashboard.
type dashboard struct {
	Annotations struct {
		List []struct {
			Expr string `json:"expr"`
		} `json:"list"`
	} `json:"annotations"`
	Templating struct {
		List []struct {
			Name       string `json:"name"`
			Definition string `json:"definition"`
		} `json:"list"`
	} `json:"templating"`
	Panels []panel `json:"panels"`
}

type panel struct {
	ID          int    `json:"id"`
	Type        string `json:"type"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Datasource  source `json:"datasource"`
	Place       place  `json:"gridPos"`
	FieldConfig struct {
		Defaults struct {
			Unit string `json:"unit"`
		} `json:"defaults"`
	} `json:"fieldConfig"`
	Targets []struct {
		Datasource source `json:"datasource"`
		Expr       string `json:"expr"`
		Legend     string `json:"legendFormat"`
	} `json:"targets"`
}

type source struct {
	UID string `json:"uid"`
}

// place is where a panel is, in a grid of 24 columns.
type place struct{ X, Y, W, H int }

func (p place) covers(other place) bool {
	return p.X < other.X+other.W && other.X < p.X+p.W && p.Y < other.Y+other.H && other.Y < p.Y+p.H
}

func readDashboard(t *testing.T) *dashboard {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "config", "grafana", "delta-runtime.json"))
	must(t, err)
	d := &dashboard{}
	must(t, json.Unmarshal(text, d))
	if len(d.Panels) < 30 || len(d.Templating.List) < 5 {
		t.Fatalf("the dashboard has %d panels and %d variables: are they still found?", len(d.Panels), len(d.Templating.List))
	}
	return d
}

// TestEveryPanelSaysWhatItShows looks for descriptions, units, and panels that cover each other.
func TestEveryPanelSaysWhatItShows(t *testing.T) {
	d := readDashboard(t)
	for i, p := range d.Panels {
		for _, other := range d.Panels[:i] {
			if p.ID == other.ID || p.Place.covers(other.Place) {
				t.Errorf("the panels %d %q and %d %q have the same number, or cover each other", other.ID, other.Title, p.ID, p.Title)
			}
		}
		if p.Type == "row" {
			continue
		}
		if p.Description == "" || p.FieldConfig.Defaults.Unit == "" || len(p.Targets) == 0 || p.Place.X+p.Place.W > 24 {
			t.Errorf("the panel %q has no description, no unit or no query, or is too wide: %+v", p.Title, p)
		}
		for _, target := range p.Targets {
			if p.Datasource.UID != "${datasource}" || target.Datasource.UID != "${datasource}" {
				t.Errorf("the panel %q asks %q and %q, and not the data source that is chosen", p.Title, p.Datasource.UID, target.Datasource.UID)
			}
		}
	}
}

var ours = regexp.MustCompile(`(?m)^\| (delta_[a-z_]+) \|`)

// TestTheDashboardHasEveryMetric compares it with docs/metrics.md.
func TestTheDashboardHasEveryMetric(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "metrics.md"))
	must(t, err)
	all := strings.Join(slices.Sorted(maps.Keys(readDashboard(t).queries(t))), "\n")
	found := ours.FindAllStringSubmatch(string(text), -1)
	if len(found) < 30 {
		t.Errorf("the page has %d metrics: are they still found?", len(found))
	}
	for _, m := range found {
		if !regexp.MustCompile(m[1] + `(_bucket)?\b`).MatchString(all) {
			t.Errorf("the dashboard does not have %s", m[1])
		}
	}
}

var labelValues = regexp.MustCompile(`^label_values\((.+), (\w+)\)$`)

// queries returns all queries, as they are when all is chosen, with where they are.
func (d *dashboard) queries(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	add := func(where, query string) {
		query = strings.ReplaceAll(query, "$__rate_interval", "30s")
		for _, v := range d.Templating.List {
			query = strings.ReplaceAll(query, "$"+v.Name, ".*")
		}
		if strings.Contains(query, "$") {
			t.Errorf("%s has a variable that is not known: %s", where, query)
		}
		all[query] = where
	}
	for _, p := range d.Panels {
		for _, target := range p.Targets {
			add("the panel "+p.Title, target.Expr)
		}
	}
	for _, a := range d.Annotations.List {
		if a.Expr != "" {
			add("an annotation", a.Expr)
		}
	}
	for _, v := range d.Templating.List {
		if m := labelValues.FindStringSubmatch(v.Definition); m != nil {
			add("the variable "+v.Name, fmt.Sprintf(`count by (%s) (%s) unless count by (%s) (%s{%s=""})`, m[2], m[1], m[2], strings.SplitN(m[1], "{", 2)[0], m[2]))
		} else if v.Name != "datasource" {
			t.Errorf("the variable %s has the definition %q", v.Name, v.Definition)
		}
	}
	return all
}

var grouped = regexp.MustCompile(`\b(?:by|without|on|ignoring) \(([^)]*)\)`)

// TestOperatorsAreKeptApart looks for panels that merge several operators into one where all jobs
// are chosen.
func TestOperatorsAreKeptApart(t *testing.T) {
	for _, p := range readDashboard(t).Panels {
		for _, target := range p.Targets {
			for _, m := range grouped.FindAllStringSubmatch(target.Expr, -1) {
				if !strings.HasPrefix(m[0], "by (job, namespace, ") {
					t.Errorf("the panel %q has %q, want job and namespace in it", p.Title, m[0])
				}
			}
			if p.Type == "timeseries" && strings.Contains(target.Expr, " by (") && !strings.Contains(target.Legend, "{{job}}") {
				t.Errorf("the panel %q has the legend %q, want one with the job", p.Title, target.Legend)
			}
		}
	}
}

// TestNoReplicaHidesAnother looks for panels that show the replica that is doing best: the latest time
// is that of the shortest wait.
func TestNoReplicaHidesAnother(t *testing.T) {
	for query, where := range readDashboard(t).queries(t) {
		if strings.Contains(query, "time() - max") {
			t.Errorf("%s shows the replica that has waited for the shortest time: %s", where, query)
		}
	}
}

// TestDisconnectedIsAsInTheAlert compares what the dashboard counts as disconnected with what the alert fires on.
func TestDisconnectedIsAsInTheAlert(t *testing.T) {
	const chosen = `{job=~"$job", namespace=~"$namespace", kind=~"$kind"}`
	want := "count(" + strings.Join(strings.Fields(readRules(t).alert(t, "DeltaKindDisconnected").Expr), " ") + ") or vector(0)"
	for _, p := range readDashboard(t).Panels {
		if p.Type != "stat" || p.Title != "Disconnected" {
			continue
		}
		if got := strings.ReplaceAll(p.Targets[0].Expr, chosen, ""); got != want {
			t.Errorf("the dashboard has\n%s, and the alert\n%s", got, want)
		}
		return
	}
	t.Error("the dashboard does not count the kinds that are disconnected")
}

// TestTheDashboard has Prometheus evaluate all queries of the dashboard, over an operator of two
// replicas whose Sites somebody edits. Each has to find a number, except those in empty.
func TestTheDashboard(t *testing.T) {
	queries := readDashboard(t).queries(t)
	w := newWorld(t, readRules(t), 2, "--leader-elect")
	edits := 0
	await.Success(t, "every query to find something", func() error {
		edits++
		w.edit(t, fmt.Sprint("<p>Edit ", edits))
		return w.evaluate(t.Context(), queries, empty)
	})
	t.Logf("%d queries find something, or are excused, after %d edits", len(queries), edits)
	for part := range empty {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(queries)), func(q string) bool { return strings.Contains(q, part) }) {
			t.Errorf("no query has %s", part)
		}
	}
}

// has reports whether a query has one of the parts.
func has(query string, parts map[string]string) bool {
	for part := range parts {
		if strings.Contains(query, part) {
			return true
		}
	}
	return false
}

// evaluate returns an error with the queries that fail, or that find nothing and may not.
func (w *world) evaluate(ctx context.Context, queries, mayBeEmpty map[string]string) error {
	var wrong []string
	for query, where := range queries {
		found, err := w.query(ctx, query)
		if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		isEmpty := !slices.ContainsFunc(found, func(s series) bool { return !math.IsNaN(s.Value.number()) })
		if isEmpty && !has(query, mayBeEmpty) {
			wrong = append(wrong, where+": "+query)
		}
	}
	if wrong != nil {
		slices.Sort(wrong)
		return fmt.Errorf("%d of %d queries find nothing:\n%s", len(wrong), len(queries), strings.Join(wrong, "\n"))
	}
	return nil
}

//go:build observability

package prometheus

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// artifacts is where files are that stay when the tests have ended.
var artifacts = filepath.Join(root, "artifacts", "prometheus")

func keep(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(artifacts, 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(artifacts, name), text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// record writes to artifacts/prometheus how the outage looks in Prometheus, and what the operator's
// log says from its begin on.
func (o *outage) record(t *testing.T, end time.Time) {
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
		found, err := o.queryRange(t.Context(), expr, o.started, end)
		if err != nil || len(found) == 0 {
			t.Errorf("%s has %d series in the outage, error %v", expr, len(found), err)
		}
		recorded[expr] = found
	}
	text, err := json.MarshalIndent(recorded, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	keep(t, "outage.json", text)
	var lines strings.Builder
	for _, l := range o.log(t)[o.lines:] {
		lines.WriteString(l.text)
	}
	keep(t, "outage.log", []byte(lines.String()))
}

// script is what promtool plays, and what it expects.
type script struct {
	RuleFiles          []string     `json:"rule_files"`
	EvaluationInterval string       `json:"evaluation_interval"`
	Tests              []scriptTest `json:"tests"`
}

type scriptTest struct {
	Name     string        `json:"name"`
	Interval string        `json:"interval"`
	Input    []scriptInput `json:"input_series"`
	Expect   []expectation `json:"promql_expr_test"`
}

type scriptInput struct {
	Series string `json:"series"`
	Values string `json:"values"`
}

type expectation struct {
	Expr    string     `json:"expr"`
	Time    string     `json:"eval_time"`
	Samples []expected `json:"exp_samples"`
}

type expected struct {
	Labels string  `json:"labels"`
	Value  float64 `json:"value"`
}

var metric = regexp.MustCompile(`\bdelta_[a-z_]+`)

// replay has promtool play what Prometheus has recorded of the outage, with the rule that it had. It
// leaves the files for that in artifacts/prometheus.
func (o *outage) replay(t *testing.T, r *rule, end time.Time) {
	t.Helper()
	play := scriptTest{Name: "the record of an outage", Interval: "1s", Expect: o.expectations(t, end)}
	read := slices.Compact(slices.Sorted(slices.Values(metric.FindAllString(r.Expr, -1))))
	for _, name := range read {
		found, err := o.queryRange(t.Context(), name, o.started, end)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("the rule reads %s; the record has %d series of it", name, len(found))
		// promtool's time() begins with 0, and its series do. So the record begins there, and times
		// that are values are moved by as much as those of samples.
		shift := 0.0
		if strings.HasSuffix(name, "_timestamp_seconds") {
			shift = float64(o.started.Unix())
		}
		for _, s := range found {
			play.Input = append(play.Input, scriptInput{Series: selector(name, s.Metric), Values: values(s.Values, o.started, shift)})
		}
	}
	if len(play.Input) != len(o.kinds) {
		t.Errorf("%d series are played, want one for each of %q", len(play.Input), o.kinds)
	}
	mid := o.fired.Add(o.returned.Sub(o.fired) / 2)
	all := expectation{Expr: `ALERTS{alertstate="firing"}`, Time: o.second(mid)}
	for _, in := range play.Input {
		_, labels, _ := strings.Cut(in.Series, "{")
		labels = fmt.Sprintf(`ALERTS{alertname=%q,alertstate="firing",severity=%q,%s`, r.Alert, r.Labels["severity"], labels)
		all.Samples = append(all.Samples, expected{Labels: labels, Value: 1})
	}
	play.Expect = append(play.Expect, all)

	rules := &ruleFile{Groups: []*ruleGroup{{Name: "outage", Rules: []*rule{r}}}}
	rules.write(t, artifacts)
	text, err := json.MarshalIndent(script{[]string{"rules.yaml"}, "1s", []scriptTest{play}}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	keep(t, "outage.yaml", slices.Concat([]byte("# What Prometheus recorded of an outage, for promtool. Time 0 is "+
		o.started.UTC().Format(time.RFC3339)+".\n"), text, []byte("\n")))
	out, err := exec.CommandContext(t.Context(), installed(t, "promtool"), "test", "rules", filepath.Join(artifacts, "outage.yaml")).CombinedOutput() //nolint:gosec // ours
	if err != nil {
		t.Errorf("promtool does not find in the record what Prometheus found: %v\n%s", err, out)
	}
	t.Logf("promtool plays %d seconds of %d series: %s", o.at(end), len(play.Input), strings.Join(strings.Fields(string(out)), " "))
}

// at is a time in seconds of the script.
func (o *outage) at(when time.Time) int64 { return when.Unix() - o.started.Unix() }

func (o *outage) second(when time.Time) string { return fmt.Sprint(o.at(when), "s") }

// expectations say for each second how many alerts fire. They are what was seen while it happened.
// promtool evaluates at other parts of a second than Prometheus did, which leaves some seconds open.
func (o *outage) expectations(t *testing.T, end time.Time) (all []expectation) {
	t.Helper()
	count := func(from, to time.Time, samples []expected) {
		if to.Sub(from) < 5*time.Second {
			t.Errorf("only %v are left to look at, want %v alerts in them", to.Sub(from), samples)
		}
		for at := from; !at.After(to); at = at.Add(time.Second) {
			all = append(all, expectation{Expr: `count(ALERTS{alertstate="firing"})`, Time: o.second(at), Samples: samples})
		}
	}
	count(o.started, o.killed.Add(bearable), []expected{})
	count(o.fired.Add(2*time.Second), o.returned, []expected{{Labels: "{}", Value: float64(len(o.kinds))}})
	count(o.ended.Add(2*time.Second), end, []expected{})
	return all
}

// selector writes a series as promtool reads it.
func selector(name string, labels map[string]string) string {
	var all []string
	for _, label := range slices.Sorted(maps.Keys(labels)) {
		if label != "__name__" {
			all = append(all, label+"="+strconv.Quote(labels[label]))
		}
	}
	return name + "{" + strings.Join(all, ",") + "}"
}

// values writes one sample for each second from begin on, moved by shift. A second without a sample
// is "_", and there promtool still sees the sample before, for five minutes. So the first of these
// seconds is "stale", as Prometheus has it if a series is gone from a scrape.
func values(samples []sample, begin time.Time, shift float64) string {
	at := map[int64]string{}
	last := int64(-1)
	for _, s := range samples {
		unix, _ := s[0].(float64)
		last = int64(math.Round(unix)) - begin.Unix()
		at[last] = strconv.FormatFloat(s.number()-shift, 'f', 3, 64)
	}
	var all []string
	for second := range last + 2 {
		value, ok := at[second]
		if _, had := at[second-1]; !ok {
			value = map[bool]string{true: "stale", false: "_"}[had]
		}
		all = append(all, value)
	}
	return strings.Join(all, " ")
}

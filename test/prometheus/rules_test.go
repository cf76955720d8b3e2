//go:build observability

package prometheus

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/delta-runtime/delta-runtime/internal/testing/manifests"
)

// ruleFile is what Prometheus reads: the spec of a PrometheusRule.
type ruleFile struct {
	Groups []*ruleGroup `json:"groups"`
}

type ruleGroup struct {
	Name  string  `json:"name"`
	Rules []*rule `json:"rules"`
}

type rule struct {
	Alert       string            `json:"alert"`
	Expr        string            `json:"expr"`
	For         string            `json:"for,omitempty"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

// readRules returns the rules that kustomize makes of config/prometheus.
func readRules(t *testing.T) *ruleFile {
	t.Helper()
	objects, err := manifests.Build(t.Context(), root, "config/prometheus")
	must(t, err)
	var file *ruleFile
	for _, object := range objects {
		if object.GetKind() != "PrometheusRule" {
			continue
		}
		if file != nil {
			t.Fatal("config/prometheus has two PrometheusRules")
		}
		file = decode(t, object)
	}
	if file == nil {
		t.Fatal("config/prometheus has no PrometheusRule")
	}
	return file
}

func decode(t *testing.T, object *unstructured.Unstructured) *ruleFile {
	t.Helper()
	spec, err := json.Marshal(object.Object["spec"])
	must(t, err)
	file := &ruleFile{}
	reader := json.NewDecoder(bytes.NewReader(spec))
	reader.DisallowUnknownFields()
	if err := reader.Decode(file); err != nil {
		t.Fatalf("read the spec of %s: %v", object.GetName(), err)
	}
	return file
}

// write writes the rules to a folder. JSON is YAML.
func (f *ruleFile) write(t *testing.T, folder string) string {
	t.Helper()
	text, err := json.MarshalIndent(f, "", " ")
	must(t, err)
	path := filepath.Join(folder, "rules.yaml")
	must(t, os.WriteFile(path, text, 0o600))
	return path
}

// alert returns the rule of an alert.
func (f *ruleFile) alert(t *testing.T, name string) *rule {
	t.Helper()
	for _, g := range f.Groups {
		for _, r := range g.Rules {
			if r.Alert == name {
				return r
			}
		}
	}
	t.Fatalf("there is no alert %s", name)
	return nil
}

// sooner has the alert fire sooner: with another bound, and for a shorter time.
func (r *rule) sooner(t *testing.T, bound, shorter, duration string) *rule {
	t.Helper()
	if strings.Count(r.Expr, bound) != 1 {
		t.Fatalf("the expression of %s does not have %q once: %s", r.Alert, bound, r.Expr)
	}
	r.Expr, r.For = strings.Replace(r.Expr, bound, shorter, 1), duration
	return r
}

// TestRules has promtool look at the rules, and play the series of testdata/alerts.yaml.
func TestRules(t *testing.T) {
	promtool, folder := installed(t, "promtool"), t.TempDir()
	rules := readRules(t)
	script, err := os.ReadFile("testdata/alerts.yaml")
	must(t, err)
	played := filepath.Join(folder, "alerts.yaml")
	must(t, os.WriteFile(played, script, 0o600))
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			checkRule(t, r)
			if !strings.Contains(string(script), `alertname="`+r.Alert+`"`) {
				t.Errorf("testdata/alerts.yaml does not have %s fire", r.Alert)
			}
		}
	}
	file := rules.write(t, folder)
	for _, args := range [][]string{{"check", "rules", file}, {"test", "rules", played}} {
		out, err := exec.CommandContext(t.Context(), promtool, args...).CombinedOutput()
		if err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		t.Logf("promtool %s %s:\n%s", args[0], args[1], out)
	}
}

// checkRule looks for what people need who get the alert.
func checkRule(t *testing.T, r *rule) {
	t.Helper()
	switch r.Labels["severity"] {
	case "critical", "warning", "info":
	default:
		t.Errorf("%s has severity %q", r.Alert, r.Labels["severity"])
	}
	for _, name := range []string{"summary", "description"} {
		if r.Annotations[name] == "" {
			t.Errorf("%s has no %s", r.Alert, name)
		}
	}
	page, ok := strings.CutPrefix(r.Annotations["runbook_url"], "https://github.com/delta-runtime/delta-runtime/blob/main/")
	if !ok {
		return
	}
	page, anchor, _ := strings.Cut(page, "#")
	text, err := os.ReadFile(filepath.Join(root, page))
	if err != nil || !hasSection(string(text), anchor) {
		t.Errorf("%s refers to section %s of %s, which does not exist (error %v)", r.Alert, anchor, page, err)
	}
}

// hasSection looks for a heading whose link on GitHub is the anchor.
func hasSection(page, anchor string) bool {
	for line := range strings.Lines(page) {
		title, ok := strings.CutPrefix(line, "## ")
		if ok && strings.NewReplacer(" ", "-", ".", "").Replace(strings.ToLower(strings.TrimSpace(title))) == anchor {
			return true
		}
	}
	return false
}

package browser

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// demo is the page that has a recording in place of an operator. make demo-page writes it.
const demo = root + "/docs/demo/index.html"

// demoAddress is where a browser finds it on this machine.
func demoAddress(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs(demo)
	if err != nil {
		t.Fatal(err)
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// TestTheDemoPage opens it from its file. It asks nobody for anything, and each view shows what was recorded.
func TestTheDemoPage(t *testing.T) {
	file, err := os.Stat(demo)
	if err != nil {
		t.Fatal(err)
	}
	if most := int64(1 << 20); file.Size() > most {
		t.Errorf("it has %d bytes, more than %d", file.Size(), most)
	}
	for look, on := range screens {
		for view, shows := range map[string][]string{
			"now":   {"need attention", "undo each other's writes", "an image needs a digest", "a minute", "spec.replicas 2 → 3"},
			"kinds": {siteKind, "Following"}, "deltas?namespace=demo": {"spec.replicas 1 → 2", "kubectl-edit", "Deleted"},
			"reconciles": {"undo each other's writes", "demo/blog"}, "queues": {"default/legacy"}, "actions": {siteKind},
			"object?kind=" + siteKind + "&namespace=demo&name=blog": {"kubectl-edit", "What happened"},
		} {
			name, _, _ := strings.Cut(view, "?")
			t.Run(look+"/"+name, func(t *testing.T) {
				b := newTab(t, on)
				b.visit(demoAddress(t), view)
				for _, text := range shows {
					b.await(30*time.Second, fmt.Sprintf(`document.querySelector("main").innerText.includes(%q)`, text))
				}
				if asked := evaluate[string](b, `performance.getEntriesByType("resource").map((e) => e.name).filter((n) => !n.startsWith("data:")).join(" ")`); asked != "" {
					t.Errorf("it asks for %s", asked)
				}
				b.judge("demo-" + name + "-" + look)
			})
		}
	}
}

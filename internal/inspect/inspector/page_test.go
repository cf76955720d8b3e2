package inspector

import (
	"path"
	"regexp"
	"strings"
	"testing"
)

// TestThePageBuildsItselfOfTextOnly looks for what could make markup or code of data, and for
// addresses elsewhere. The page's policy forbids most of it, but only once it runs.
func TestThePageBuildsItselfOfTextOnly(t *testing.T) {
	forbidden := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment|setHTMLUnsafe|\beval\(|new Function|` +
		`javascript:|https?://|\bimport\(| style=| on[a-z]+="`)
	const namespace = `xmlns="http://www.w3.org/2000/svg"`
	imports := regexp.MustCompile(`(?:from|src=|href=)\s*"(?:\./|assets/)([^"]+)"`)
	names := map[string]bool{}
	for _, r := range pageRoutes() {
		names[path.Base(r.path)] = true
	}
	entries, err := pageFiles.ReadDir("page")
	must(t, err)
	for _, entry := range entries {
		content, err := pageFiles.ReadFile("page/" + entry.Name())
		must(t, err)
		text := strings.ReplaceAll(string(content), namespace, "")
		if found := forbidden.FindString(text); found != "" {
			t.Errorf("%s has %q", entry.Name(), found)
		}
		for _, found := range imports.FindAllStringSubmatch(text, -1) {
			if !names[found[1]] {
				t.Errorf("%s needs %s, which is not there", entry.Name(), found[1])
			}
		}
	}
	if len(names) < 10 {
		t.Errorf("the page has %d files only", len(names))
	}
}

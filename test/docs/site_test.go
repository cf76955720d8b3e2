//go:build site

package docs

import (
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	siteLink = regexp.MustCompile(`\b(?:href|src|srcset)="([^"]*)"|"at":"([^"]*)"`) // the second in the index of the search
	siteID   = regexp.MustCompile(`\bid="([^"]*)"`)
)

// TestTheSiteHasNoDeadLink follows each link of the site that make docs has built, also those of its search, to the file and the
// heading. The site loads nothing from elsewhere.
func TestTheSiteHasNoDeadLink(t *testing.T) {
	site := os.DirFS(filepath.Join("..", "..", "artifacts", "site"))
	files, ids := map[string]string{}, map[string]map[string]bool{}
	err := fs.WalkDir(site, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(site, name)
		files[name], ids[name] = string(text), map[string]bool{}
		for _, id := range siteID.FindAllStringSubmatch(files[name], -1) {
			ids[name][id[1]] = true
		}
		return err
	})
	must(t, err)
	links := 0
	for name, text := range files {
		if path.Ext(name) != ".html" && name != "search.js" || strings.HasPrefix(name, "docs/demo/") { // the demo's own test reads that
			continue
		}
		for _, found := range siteLink.FindAllStringSubmatch(text, -1) {
			to, err := url.Parse(strings.ReplaceAll(found[1]+found[2], "&amp;", "&"))
			if err != nil {
				t.Errorf("%s: %v", name, err)
			} else if to.IsAbs() && !strings.HasPrefix(found[0], "href") {
				t.Errorf("%s loads, or finds, %s, which is not in the site", name, to)
			} else if why := deadIn(name, to, ids); why != "" {
				t.Errorf("%s: %s %s", name, to, why)
			}
			links++
		}
	}
	if links < 1000 {
		t.Errorf("the site has %d links", links)
	}
}

func deadIn(name string, to *url.URL, ids map[string]map[string]bool) string {
	if to.IsAbs() {
		return ""
	}
	file := name
	if to.Path != "" {
		file = path.Join(path.Dir(name), to.Path)
	}
	if ids[file] == nil {
		return "leads to a file that is not there"
	}
	if to.Fragment != "" && !ids[file][to.Fragment] {
		return "leads to a heading that is not there"
	}
	return ""
}

// TestEachPageIsInTheSite looks for the page of each Markdown file for users, and of each package that they import.
func TestEachPageIsInTheSite(t *testing.T) {
	var pages []string
	for _, pattern := range []string{"docs/*.md", "docs/guides/*.md", "docs/adr/*.md", "pkg/*/doc.go", "pkg/*/*/doc.go"} {
		found, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pattern)))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: found %d (error %v)", pattern, len(found), err)
		}
		pages = append(pages, found...)
	}
	for _, page := range pages {
		page = strings.TrimPrefix(filepath.ToSlash(page), "../../")
		if page == "docs/adr/template.md" {
			continue
		}
		if of, ok := strings.CutSuffix(page, "/doc.go"); ok {
			page = "api/" + strings.ReplaceAll(of, "/", "-") + ".md"
		}
		at := filepath.Join("..", "..", "artifacts", "site", filepath.FromSlash(strings.TrimSuffix(page, ".md")+".html"))
		if text, err := os.ReadFile(at); err != nil || !strings.Contains(string(text), "<h1") {
			t.Errorf("%s has no page with a heading: %v", page, err)
		}
	}
}

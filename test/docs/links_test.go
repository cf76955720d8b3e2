package docs

import (
	"path"
	"regexp"
	"strings"
	"testing"
)

const glossary = "docs/glossary.md"

var (
	anchored = regexp.MustCompile(`\]\(([^)#]*)#([^)]+)\)`)
	heading  = regexp.MustCompile(`(?m)^#+ (.+)$`)
	dropped  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// anchors returns the anchors that GitHub makes for the headings of a page.
func anchors(page string) map[string]bool {
	found := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(page, -1) {
		name := strings.ToLower(dropped.ReplaceAllString(m[1], ""))
		found[strings.ReplaceAll(name, " ", "-")] = true
	}
	return found
}

func TestLinksLeadToHeadings(t *testing.T) {
	all := pages(t)
	for page, text := range all {
		for _, wrong := range checkAnchors(all, page, text) {
			t.Errorf("%s links to %s, and there is no such heading", page, wrong)
		}
	}
}

// checkAnchors returns the links of a page to headings that do not exist.
func checkAnchors(all map[string]string, page, text string) (wrong []string) {
	for _, m := range anchored.FindAllStringSubmatch(text, -1) {
		target := page
		if m[1] != "" {
			target = path.Join(path.Dir(page), m[1])
		}
		if strings.Contains(m[1], "://") {
			continue
		}
		if other, ok := all[target]; ok && !anchors(other)[m[2]] {
			wrong = append(wrong, target+"#"+m[2])
		}
	}
	return wrong
}

// TestTermsAreLinked looks for a link to each word of the glossary in a page that uses it.
func TestTermsAreLinked(t *testing.T) {
	all := pages(t)
	terms := anchors(strings.ReplaceAll(all[glossary], "# Glossary\n", ""))
	if len(terms) < 30 {
		t.Errorf("%s has %d words: are they still found?", glossary, len(terms))
	}
	for page, text := range all {
		if page == glossary {
			continue
		}
		for _, m := range anchored.FindAllStringSubmatch(text, -1) {
			if path.Base(m[1]) == path.Base(glossary) {
				delete(terms, m[2])
			}
		}
	}
	for term := range terms {
		t.Errorf("%s explains %q, and no page that uses it links there", glossary, term)
	}
}

func TestLinksToNowhereAreFound(t *testing.T) {
	all := map[string]string{"docs/a.md": "# A title\n\n## What `Of` can't do: 1, 2\n", "b.md": "# B\n"}
	for link, want := range map[string]int{
		"[x](#a-title)": 0, "[x](#what-of-cant-do-1-2)": 0, "[x](../b.md#b)": 0, "[x](https://example.com/a.md#z)": 0, "[x](c.md#z)": 0,
		"[x](#none)": 1, "[x](../b.md#a-title)": 1,
	} {
		if wrong := checkAnchors(all, "docs/a.md", link); len(wrong) != want {
			t.Errorf("%s has %q wrong, want %d", link, wrong, want)
		}
	}
}

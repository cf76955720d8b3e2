package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// unclear are phrases that a reader has to read twice, each with a plainer one.
var unclear = map[string]string{
	`\banew\b`:                       "again",
	`\bgoes (before|first)\b`:        "overrides, or: wins",
	`\blets at\b`:                    "gives access to, or: is called with",
	`\b(is|are) of no (more )?use\b`: "can't be used",
	`\b(is|which are) no more[.,;)]`: "has ended, or: is gone",
	`\bholds up (nobody|no |the )`:   "delays, or: does not delay",
	`\bis believed to be\b`:          "is taken to be",
	`\bha(s|ve) a say\b`:             "decides",
	`\bbad time\b`:                   "faults",
	`\btold to whom\b`:               "is told to those who, or better: who is told",
}

// TestProseIsPlain looks for them in what people read: documents, and the comments and
// texts of the code.
func TestProseIsPlain(t *testing.T) {
	self := filepath.Join(root, "test", "docs", "phrases_test.go")
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch name := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && (name == ".git" || name == "bin"):
			return fs.SkipDir
		case entry.IsDir() || path == self || !strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, ".md"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, hit := range unclearIn(string(text)) {
			t.Errorf("%s: %s", path, hit)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// unclearIn are the phrases in a text, each with the plainer one. A phrase may be broken
// over two lines, of which the second may be a comment's.
func unclearIn(text string) (hits []string) {
	text = strings.ReplaceAll(text, "\n// ", " ")
	for phrase, plainer := range unclear {
		for _, hit := range regexp.MustCompile(strings.ReplaceAll(phrase, " ", `\s+`)).FindAllString(text, -1) {
			hits = append(hits, strings.Join(strings.Fields(hit), " ")+": say "+plainer)
		}
	}
	return hits
}

func TestUnclearPhrasesAreFound(t *testing.T) {
	for text, want := range map[string]bool{
		"A watch is opened anew.":                      true,
		"// The policy goes\n// before the period.":    true,
		"The queue is of\nno use afterwards.":          true,
		"The server is no more.":                       true,
		"There are no more than a list has. Renewed.":  false,
		"A policy overrides the period, and is again.": false,
		"The change is of no delivery.":                false,
	} {
		if got := unclearIn(text); (len(got) > 0) != want {
			t.Errorf("%q has %q", text, got)
		}
	}
}

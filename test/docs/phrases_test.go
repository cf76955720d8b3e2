package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// place is where prose is.
type place int

const (
	inPages place = iota // README.md, CHANGELOG.md, docs with guides and records
	inPlans              // ARCHITECTURE.md, CONTRIBUTING.md and other documents at the root
	inCode               // comments and texts of all Go files, tests too
	places
)

func (p place) String() string { return [places]string{"pages", "plans", "code"}[p] }

// phrase is a phrase that a reader has to read twice.
type phrase struct {
	pattern *regexp.Regexp
	plainer string         // what to say instead
	but     *regexp.Regexp // a hit that matches this, too, is good English
	// most is how many hits there may be. Pages have none. The others are old: with each one
	// that you remove, make the number smaller, and never make it larger.
	most [places]int
}

// words is a pattern. A space in it matches any space.
func words(pattern string) *regexp.Regexp {
	return regexp.MustCompile(strings.ReplaceAll(pattern, " ", `\s+`))
}

// unclear are the phrases. They are looked for in all places and all folders.
var unclear = []phrase{
	{pattern: words(`\banew\b`), plainer: "again"},
	{pattern: words(`\bgoes (before|first)\b`), plainer: "overrides, or: wins"},
	{pattern: words(`\blets at\b`), plainer: "gives access to, or: is called with"},
	{pattern: words(`\b(is|are) of no (more )?use\b`), plainer: "can't be used"},
	{pattern: words(`\b(is|which are) no more[.,;)]`), plainer: "has ended, or: is gone"},
	{pattern: words(`\bholds up (nobody|no |the )`), plainer: "delays, or: does not delay"},
	{pattern: words(`\bis believed to be\b`), plainer: "is taken to be"},
	{pattern: words(`\bha(s|ve) a say\b`), plainer: "decides"},
	{pattern: words(`\bbad time\b`), plainer: "faults"},
	{pattern: words(`\btold to whom\b`), plainer: "is told to those who, or better: who is told"},
	{pattern: words(`\b[Ww]hoever\b`), plainer: "name who it is"},
	{pattern: words(`\bwhom\b`), plainer: "say it in two sentences"},
	{pattern: words(`\b(of|by|for) which\b`), plainer: "say it in two sentences"},
	{
		pattern: words(`(\b\w+ )?\b(is|are|was|were) no [a-z]+`), but: words(`(?i)\bthere (is|are|was|were) no|no (longer|more)\b`),
		plainer: "is not a …, or: … has no …", most: [places]int{inPlans: 1},
	},
	{
		pattern: words(`(^|[.:;|*]\s|\n)\s*What (is|was|are|were|comes|came|has|had|it|a|an|the|you|no|only|can|could|else|they|we|one)\b`),
		plainer: "begin with the subject", most: [places]int{inPlans: 12},
	},
	{
		pattern: words(`(^|[.:;|*]\s|\n)\s*Who(ever)? (has|wants|asks|is|reads|removes|writes|gets|waits|needs)\b`),
		plainer: "begin with the subject", most: [places]int{inPlans: 1},
	},
	{pattern: words(`\bone's own\b`), plainer: "your own"},
	{pattern: words(`\bnamesakes?\b`), plainer: "another object of the same name"},
	{pattern: words(`\bits own kin\b`), plainer: "its like"},
	{pattern: words(`\bbut for\b`), plainer: "except", most: [places]int{inPlans: 2}},
	{pattern: words(`\b(is|are) put (out|off)\b`), plainer: "is printed, is delayed"},
	{pattern: words(`\bhow far (that|it|he|she) is says\b`), plainer: "… says how far"},
}

// placeOf returns the place of a file's prose. Other files have none.
func placeOf(path string) (place, bool) {
	switch {
	case strings.HasSuffix(path, ".go"):
		return inCode, true
	case !strings.HasSuffix(path, ".md"):
		return 0, false
	case path == "README.md" || path == "CHANGELOG.md" || strings.HasPrefix(path, "docs/"):
		return inPages, true
	default:
		return inPlans, true
	}
}

// TestProseIsPlain counts unclear phrases in everything that people read: documents, and the
// comments and texts of the code.
func TestProseIsPlain(t *testing.T) {
	hits := make([][places][]string, len(unclear))
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "bin"):
			return fs.SkipDir
		case entry.IsDir() || entry.Name() == "phrases_test.go":
			return nil
		}
		path, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		where, ok := placeOf(filepath.ToSlash(path))
		if !ok {
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		english := prose(where, string(text))
		for i, p := range unclear {
			for _, hit := range p.in(english) {
				hits[i][where] = append(hits[i][where], path+": "+hit)
			}
		}
		return nil
	})
	must(t, err)
	for i, p := range unclear {
		for where, found := range hits[i] {
			switch most := p.most[where]; {
			case len(found) > most:
				t.Errorf("%d times %q in %s, where %d may be; better: %s\n\t%s", len(found), p.pattern, place(where), most, p.plainer, strings.Join(found, "\n\t"))
			case len(found) < most:
				t.Logf("%d times %q in %s: make the %d in the list smaller", len(found), p.pattern, place(where), most)
			}
		}
	}
}

var (
	fenced = regexp.MustCompile("(?s)```.*?\n```")
	spans  = regexp.MustCompile("`[^`\n]*`")
)

// prose is the English part of a text, without the code in a document. It also joins the
// lines of comments, because a phrase may be broken over two lines.
func prose(where place, text string) string {
	if where != inCode {
		text = spans.ReplaceAllString(fenced.ReplaceAllString(text, ""), "`code`")
	}
	return strings.ReplaceAll(text, "\n// ", " ")
}

// in returns the hits of a phrase in a text.
func (p phrase) in(text string) (hits []string) {
	for _, at := range p.pattern.FindAllStringIndex(text, -1) {
		hit := strings.Join(strings.Fields(text[at[0]:at[1]]), " ")
		if p.but == nil || !p.but.MatchString(hit) {
			hits = append(hits, hit)
		}
	}
	return hits
}

func TestUnclearPhrasesAreFound(t *testing.T) {
	for text, want := range map[string]bool{
		"A watch is opened anew.":                         true,
		"// The policy goes\n// before the period.":       true,
		"The queue is of\nno use afterwards.":             true,
		"The server is no more.":                          true,
		"It is for whoever asks.":                         true,
		"A table, the root of which is exchanged.":        true,
		"Two owners are no bug.":                          true,
		"It ends. What is left is dropped.":               true,
		"It ends. Who wants more asks again.":             true,
		"All but for one.":                                true,
		"There are no more than a list has. Renewed.":     false,
		"A policy overrides the period, and is again.":    false,
		"The change is of no delivery.":                   false,
		"There is no list, and it is no longer delayed.":  false,
		"The kind in which it is. It says what is wrong.": false,
	} {
		found := false
		for _, p := range unclear {
			found = found || len(p.in(prose(inCode, text))) > 0
		}
		if found != want {
			t.Errorf("%q is unclear: %t, want %t", text, found, want)
		}
	}
}

func TestCodeInDocumentsIsNoProse(t *testing.T) {
	const page = "Say `whoever`.\n\n```go\n// anew\n```\n\nIt is plain.\n"
	for _, p := range unclear {
		if hits := p.in(prose(inPages, page)); hits != nil {
			t.Errorf("%q is found in code", hits)
		}
	}
}

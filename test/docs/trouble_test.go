package docs

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/delta-runtime/delta-runtime/internal/testing/sources"
	"github.com/delta-runtime/delta-runtime/pkg/cache"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

const trouble = "docs/troubleshooting.md"

// The page quotes the next two functions. Nothing calls them.

func ask(mgr ctrl.Manager) error {
	ours, err := cache.Unwrap(mgr.GetCache())
	if err != nil {
		return err
	}
	for _, kind := range ours.Status() {
		fmt.Println(kind.Name, "synced:", kind.Synced, kind.Why)
	}
	return nil
}

func because(ctx context.Context) {
	log.FromContext(ctx).Info("Reconciling", "because", delta.From(ctx))
}

var _, _ = ask, because

var (
	quotedText = regexp.MustCompile("(?m)^> `([^`]+)`$")
	metricName = regexp.MustCompile("`(workqueue_[a-z_]+)`")
)

// TestQuotedTextsAreTheCodes looks in the code for the texts of logs and errors that the page
// quotes. In a quotation … stands for any text.
func TestQuotedTextsAreTheCodes(t *testing.T) {
	page := pages(t)[trouble]
	quotes := quotedText.FindAllStringSubmatch(page, -1)
	if len(quotes) < 20 {
		t.Errorf("%s quotes %d texts: are they still found?", trouble, len(quotes))
	}
	texts := textsOf(t, "pkg", "internal")
	for _, m := range quotes {
		if missing := lackingIn(texts, m[1]); missing != "" {
			t.Errorf("%s quotes %q, but no text of the code has %q", trouble, m[1], missing)
		}
	}
}

// lackingIn returns a part of a quotation that no text has. At least one part has to be long,
// because short ones are in many texts.
func lackingIn(texts []string, quotation string) string {
	long := 0
	for part := range strings.SplitSeq(quotation, "…") {
		part = strings.Trim(part, " :;")
		long = max(long, len(part))
		if !slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, part) }) {
			return part
		}
	}
	if long < 10 {
		return quotation
	}
	return ""
}

// textsOf returns the strings in some folders, without those of tests. Strings that + joins
// are one.
func textsOf(t *testing.T, folders ...string) (texts []string) {
	t.Helper()
	for _, folder := range folders {
		err := sources.Production(os.DirFS(root), folder, func(name string, source []byte) error {
			if strings.HasPrefix(name, "internal/testing/") {
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if e, ok := n.(ast.Expr); ok {
					if text := textOf(e); text != "" {
						texts = append(texts, text)
						return false
					}
				}
				return true
			})
			return nil
		})
		must(t, err)
	}
	return texts
}

// textOf returns the text of an expression of strings. If other values are between the
// strings, a zero byte stands for each.
func textOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		if e.Kind != token.STRING || err != nil {
			return ""
		}
		return text
	case *ast.BinaryExpr:
		left, right := textOf(e.X), textOf(e.Y)
		if e.Op != token.ADD || left+right == "" {
			return ""
		}
		if left == "" || right == "" {
			return left + "\x00" + right
		}
		return left + right
	default:
		return ""
	}
}

func TestMetricsAreThoseOfControllerRuntime(t *testing.T) {
	var theirs []string
	for _, key := range []string{
		metrics.DepthKey, metrics.AddsKey, metrics.QueueLatencyKey, metrics.WorkDurationKey,
		metrics.UnfinishedWorkKey, metrics.LongestRunningProcessorKey, metrics.RetriesKey,
	} {
		theirs = append(theirs, metrics.WorkQueueSubsystem+"_"+key)
	}
	var named []string
	for _, m := range metricName.FindAllStringSubmatch(pages(t)[trouble], -1) {
		named = append(named, m[1])
	}
	if slices.Sort(theirs); !slices.Equal(slices.Sorted(slices.Values(named)), theirs) {
		t.Errorf("%s names the metrics %q, controller-runtime has %q", trouble, named, theirs)
	}
}

func TestQuotationsThatAreNotInTheCodeAreFound(t *testing.T) {
	texts := []string{"the informer was removed", "list %s: the token has expired", "waits\x00for its turn"}
	for quotation, want := range map[string]string{
		"the informer was removed":                "",
		"list …: the token has expired":           "",
		"waits … for its turn":                    "",
		"the informer was removed from the cache": "the informer was removed from the cache",
		"list …: the token is bad":                "the token is bad",
		"list …":                                  "list …",
	} {
		if got := lackingIn(texts, quotation); got != want {
			t.Errorf("of %q %q is missing, want %q", quotation, got, want)
		}
	}
}

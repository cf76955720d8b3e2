package docs

import (
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/testing/sources"
)

// code matches lines that look like Go, and not like an item of a list.
var code = regexp.MustCompile(`:=|[{(]$|^[})]`)

// TestDocCommentsHaveNoCodeInLists looks for code that gofmt has taken for a list. The lines
// of a diff begin like the items of a list. In a list all of them get the same bullet, so
// readers can't tell added lines from removed ones. To prevent that, a diff has to begin with
// an unchanged line.
func TestDocCommentsHaveNoCodeInLists(t *testing.T) {
	err := sources.All(os.DirFS(root), ".", func(name string, source []byte) error {
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, name, source, parser.ParseComments)
		if err != nil {
			return err
		}
		for _, group := range file.Comments {
			for _, item := range listed(group) {
				if code.MatchString(item) {
					t.Errorf("%s: a list has code in it: %s", files.Position(group.Pos()), item)
				}
			}
		}
		return nil
	})
	must(t, err)
}

// listed are the lines of all lists in a comment.
func listed(group *ast.CommentGroup) (lines []string) {
	for _, block := range new(comment.Parser).Parse(group.Text()).Content {
		list, ok := block.(*comment.List)
		if !ok {
			continue
		}
		for _, item := range list.Items {
			var printer comment.Printer
			text := printer.Text(&comment.Doc{Content: item.Content})
			lines = append(lines, strings.Split(strings.TrimSpace(string(text)), "\n")...)
		}
	}
	return lines
}

package hotloop

import (
	"strings"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
)

// TestADeepEditIsDividedToSomeDepth divides two lists with an element that is as deep as JSON may be.
func TestADeepEditIsDividedToSomeDepth(t *testing.T) {
	element := func(leaf string) []any {
		var at any = leaf
		for range 9900 {
			at = map[string]any{"a": at}
		}
		return []any{map[string]any{"name": "x", "deep": at, "beside": leaf}}
	}
	leaves := divide(path.OfNames("spec", "list"), element("1"), element("2"))
	if len(leaves) != 2 {
		t.Fatalf("there are %d leaves", len(leaves))
	}
	if text := leaves[0].at.String(); text != `spec.list[name="x"].beside` {
		t.Errorf("one is at %s", text)
	}
	if text := leaves[1].at.String(); text != `spec.list[name="x"].deep`+strings.Repeat(".a", deepest-4) {
		t.Errorf("the other is at %s", text)
	}
}

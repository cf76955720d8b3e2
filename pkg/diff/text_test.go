package diff

import (
	"math"
	"strings"
	"testing"

	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
)

func TestTextOfValues(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
	}{
		{nil, "null"}, {true, "true"}, {int64(-3), "-3"}, {1.5, "1.5"}, {3.0, "3"}, {1e20, "1e+20"},
		{"a<b>&\"c\"\n", `"a<b>&\"c\"\n"`}, {"", `""`}, {hidden, hidden},
		{[]any{int64(1), "a", nil}, `[1,"a",null]`}, {[]any{}, "[]"},
		{map[string]any{"b": int64(1), "a": map[string]any{}}, `{"a":{},"b":1}`},
		{strings.Repeat("x", 98), `"` + strings.Repeat("x", 98) + `"`},
		{strings.Repeat("x", 99), `"` + strings.Repeat("x", 96) + "…"},
		{strings.Repeat("é", 99), `"` + strings.Repeat("é", 48) + "…"},
		{[]any{strings.Repeat("x", 60), strings.Repeat("y", 60)}, `["` + strings.Repeat("x", 60) + `","` + strings.Repeat("y", 32) + "…"},
		{"\xff", `"\ufffd"`},
	} {
		got := valueText(value.NewValueInterface(c.value))
		if got != c.want || len(got) > path.MaxValue {
			t.Errorf("%#v prints as %s, want %s", c.value, got, c.want)
		}
	}
}

func TestTextOfEdits(t *testing.T) {
	for _, c := range []struct {
		edit Edit
		want string
	}{
		{Edit{Path: "spec.replicas", Before: int64(3), After: int64(5)}, "spec.replicas: 3 → 5"},
		{Edit{Path: "a", Added: true}, "+a=null"},
		{Edit{Path: "a", Removed: true, Before: "x"}, "-a"},
		{Edit{Path: `f[="x"]`, Added: true, After: "x"}, `+f[="x"]`},
		{Edit{Path: "a", Before: math.NaN(), After: strings.Repeat("x", 200)}, "a: NaN → \"" + strings.Repeat("x", 96) + "…"},
		{Edit{Path: "no path [", Removed: true}, `-["no path ["]`},
		{Edit{Path: "a", Added: true, Removed: true, After: "x"}, `+a="x"`},
	} {
		if got := c.edit.String(); got != c.want {
			t.Errorf("prints as %s, want %s", got, c.want)
		}
	}
}

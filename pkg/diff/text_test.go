package diff

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	"github.com/delta-runtime/delta-runtime/internal/testing/samples"
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
		edit     Edit
		text, js string
	}{
		{Edit{Path: "spec.replicas", Before: int64(3), After: int64(5)}, "spec.replicas: 3 → 5", `{"path":"spec.replicas","what":"Modified","before":3,"after":5}`},
		{Edit{Path: "a", Added: true}, "+a=null", `{"path":"a","what":"Added","after":null}`},
		{Edit{Path: "a", Removed: true, Before: "x"}, "-a", `{"path":"a","what":"Removed","before":"x"}`},
		{Edit{Path: `f[="x"]`, Added: true, After: "x"}, `+f[="x"]`, `{"path":"f[=\"x\"]","what":"Added","after":"x"}`},
		{Edit{Path: "a", Before: math.NaN(), After: strings.Repeat("x", 200)}, "a: NaN → \"" + strings.Repeat("x", 96) + "…",
			`{"path":"a","what":"Modified","before":"NaN","after":"\"` + strings.Repeat("x", 96) + `…"}`},
		{Edit{Path: "no path [", Removed: true}, `-["no path ["]`, `{"path":"[\"no path [\"]","what":"Removed","before":null}`},
		{Edit{Path: "a", Added: true, Removed: true, After: "x"}, `+a="x"`, `{"path":"a","what":"Added","after":"x"}`},
	} {
		if got := c.edit.String(); got != c.text {
			t.Errorf("prints as %s, want %s", got, c.text)
		}
		if got, err := json.Marshal(c.edit); err != nil || string(got) != c.js {
			t.Errorf("JSON is %s (error %v), want %s", got, err, c.js)
		}
	}
}

func TestJSON(t *testing.T) {
	five := int32(5)
	after := samples.Web(func(d *appsv1.Deployment) {
		d.Spec.Replicas = &five
		d.Spec.Template.Spec.Containers = d.Spec.Template.Spec.Containers[:1]
		d.Labels["app"] = "web"
	})
	for _, c := range []struct {
		diff *Diff
		want string
	}{
		{New(samples.Web(), samples.Web(), samples.Builtin), `{"edits":[]}`},
		{New(samples.Web(), after, samples.Builtin), `{"edits":[{"path":"spec.replicas","what":"Modified","before":3,"after":5},` +
			`{"path":"spec.template.spec.containers[name=\"side\"]","what":"Removed","before":{"image":"side:1","name":"side","resources":{}}},` +
			`{"path":"metadata.labels[app]","what":"Added","after":"web"}]}`},
		{New(nil, &corev1.ConfigMap{Data: map[string]string{"a": "b"}}, samples.Builtin), `{"created":true,"edits":[{"path":"data","what":"Added","after":{"a":"b"}}]}`},
		{New(&corev1.ConfigMap{Data: map[string]string{"a": "b"}}, nil, samples.Builtin), `{"deleted":true,"edits":[{"path":"data","what":"Removed","before":{"a":"b"}}]}`},
	} {
		got, err := json.Marshal(c.diff)
		if err != nil || string(got) != c.want {
			t.Errorf("got  %s (error %v)\nwant %s", got, err, c.want)
		}
	}
}

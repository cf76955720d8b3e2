package delta

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

func TestTextOfValues(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
	}{
		{nil, "null"}, {true, "true"}, {int64(-3), "-3"}, {1.5, "1.5"}, {3.0, "3"}, {1e20, "1e+20"},
		{"a<b>&\"c\"\n", `"a<b>&\"c\"\n"`}, {"", `""`}, {Hidden, Hidden},
		{[]any{int64(1), "a", nil}, `[1,"a",null]`}, {[]any{}, "[]"},
		{map[string]any{"b": int64(1), "a": map[string]any{}}, `{"a":{},"b":1}`},
		{strings.Repeat("x", 98), `"` + strings.Repeat("x", 98) + `"`},
		{strings.Repeat("x", 99), `"` + strings.Repeat("x", 96) + "…"},
		{strings.Repeat("é", 99), `"` + strings.Repeat("é", 48) + "…"},
		{[]any{strings.Repeat("x", 60), strings.Repeat("y", 60)}, `["` + strings.Repeat("x", 60) + `","` + strings.Repeat("y", 32) + "…"},
		{"\xff", `"\ufffd"`},
	} {
		got := valueText(value.NewValueInterface(c.value))
		if got != c.want || len(got) > maxValue {
			t.Errorf("%#v prints as %s, want %s", c.value, got, c.want)
		}
	}
}

func TestTextOfEdits(t *testing.T) {
	for _, c := range []struct {
		edit     Edit
		text, js string
	}{
		{Edit{"spec.replicas", FieldModified, int64(3), int64(5)}, "spec.replicas: 3 → 5", `{"path":"spec.replicas","what":"Modified","before":3,"after":5}`},
		{Edit{"a", FieldAdded, nil, nil}, "+a=null", `{"path":"a","what":"Added","after":null}`},
		{Edit{"a", FieldRemoved, "x", nil}, "-a", `{"path":"a","what":"Removed","before":"x"}`},
		{Edit{`f[="x"]`, FieldAdded, nil, "x"}, `+f[="x"]`, `{"path":"f[=\"x\"]","what":"Added","after":"x"}`},
		{Edit{"a", FieldModified, math.NaN(), strings.Repeat("x", 200)}, "a: NaN → \"" + strings.Repeat("x", 96) + "…",
			`{"path":"a","what":"Modified","before":"NaN","after":"\"` + strings.Repeat("x", 96) + `…"}`},
		{Edit{"no path [", FieldRemoved, nil, nil}, `-["no path ["]`, `{"path":"[\"no path [\"]","what":"Removed","before":null}`},
	} {
		if got := c.edit.String(); got != c.text {
			t.Errorf("prints as %s, want %s", got, c.text)
		}
		if got, err := json.Marshal(c.edit); err != nil || string(got) != c.js {
			t.Errorf("JSON is %s (error %v), want %s", got, err, c.js)
		}
	}
	if got := What(9).String() + What(0).String(); got != "What(9)What(0)" {
		t.Errorf("invalid ones print as %s", got)
	}
}

func TestJSON(t *testing.T) {
	five := int32(5)
	after := webWith(func(d *appsv1.Deployment) {
		d.Spec.Replicas = &five
		d.Spec.Template.Spec.Containers = d.Spec.Template.Spec.Containers[:1]
		d.Labels["app"] = "web"
	})
	for _, c := range []struct {
		diff *Diff
		want string
	}{
		{NewDiff(web(), web(), builtin), `{"edits":[]}`},
		{NewDiff(web(), after, builtin), `{"edits":[{"path":"spec.replicas","what":"Modified","before":3,"after":5},` +
			`{"path":"spec.template.spec.containers[name=\"side\"]","what":"Removed","before":{"image":"side:1","name":"side","resources":{}}},` +
			`{"path":"metadata.labels[app]","what":"Added","after":"web"}]}`},
		{NewDiff(nil, &corev1.ConfigMap{Data: map[string]string{"a": "b"}}, builtin), `{"created":true,"edits":[{"path":"data","what":"Added","after":{"a":"b"}}]}`},
		{NewDiff(&corev1.ConfigMap{Data: map[string]string{"a": "b"}}, nil, builtin), `{"deleted":true,"edits":[{"path":"data","what":"Removed","before":{"a":"b"}}]}`},
	} {
		got, err := json.Marshal(c.diff)
		if err != nil || string(got) != c.want {
			t.Errorf("got  %s (error %v)\nwant %s", got, err, c.want)
		}
	}
}

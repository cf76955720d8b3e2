package diff

import (
	"encoding/json"
	"testing"

	unstructuredv1 "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// FuzzDiff compares any two JSON objects as the model does.
func FuzzDiff(f *testing.F) {
	for _, seed := range [][2]string{
		{`{}`, `{}`},
		{`{"spec":{"a":1}}`, `{"spec":{"a":2,"b":[1]}}`},
		{`{"metadata":{"labels":{"a.b/c":"d"}}}`, `{"metadata":{"labels":{"a":"d"}}}`},
		{`{"metadata":null}`, `{"metadata":{"name":"x","managedFields":[]}}`},
		{`{"metadata":3}`, `{"metadata":[]}`},
		{`{"a":{"b":1}}`, `{"a":null}`},
		{`{"a":{"b":1}}`, `{"a":"b"}`},
		{`{"a":{"b":{}}}`, `{"a":{}}`},
		{`{"a":[]}`, `{"a":{}}`},
		{`{"a":1}`, `{"a":1.0}`},
		{`{"":{"":""}}`, `{"":{"[":"]"}}`},
		{`{"a":"1"}`, `{"a":1}`},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, one, two string) {
		var before, after map[string]any
		if json.Unmarshal([]byte(one), &before) != nil || json.Unmarshal([]byte(two), &after) != nil || before == nil || after == nil {
			return
		}
		c := contestant{shape: unknown, kind: schema.GroupVersionKind{Version: "v1", Kind: "A"}, form: func() Object { return &unstructuredv1.Unstructured{} }}
		c.check(t, c.object(t, before), c.object(t, after))
	})
}

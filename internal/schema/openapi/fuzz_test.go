package openapi_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"testing/iotest"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/delta-runtime/delta-runtime/internal/schema/openapi"
	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	"github.com/delta-runtime/delta-runtime/internal/testing/fulltypes"
)

// FuzzSkip has something stand before the definitions. If it is JSON, they are found behind it.
func FuzzSkip(f *testing.F) {
	for _, seed := range []string{
		`{"a": [1, "x\n\u00e4", null, true, -0.5e+7]}`, `"\ud800"`, "[[[", `{"a":1,"a":2}`, "\"\xff\"", `1.`, `[,]`, ` {} `, `"a"b`, `tru`, "\x00",
		`"\\"`, `"\""`, `"components"`, `{"components": {"schemas": {}}}`, `[{"a": "}"}]`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		text := `{"paths": ` + value + `, "components": {"more": ` + value + `, "schemas": {"a": {"x-kubernetes-group-version-kind": [{"group": "example.com", "version": "v1", "kind": "Plant"}]}}}}`
		d, err := openapi.Read(strings.NewReader(text), plants)
		if !json.Valid([]byte(value)) {
			return
		}
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if _, err := d.Types([]string{"Plant"}).Of("Plant"); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	})
}

// FuzzDocument reads definitions. If they can be read, their types are right, and they are the same in
// whatever pieces the document comes.
func FuzzDocument(f *testing.F) {
	var document struct {
		Components struct{ Schemas map[string]json.RawMessage }
	}
	must(f, json.Unmarshal([]byte(rich(f)), &document))
	for _, definition := range document.Components.Schemas {
		f.Add([]byte(definition))
	}
	f.Fuzz(func(t *testing.T, definition []byte) {
		if !json.Valid(definition) {
			return // FuzzSkip has these
		}
		text := []byte(`{"components": {"schemas": {"example.Plant": {"type": "object",
			"x-kubernetes-group-version-kind": [{"group": "example.com", "version": "v1", "kind": "Plant"}],
			"properties": {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "spec": {"$ref": "#/components/schemas/example.Fuzzed"}}},
			"example.Fuzzed": ` + string(definition) + `}}}`)
		d, err := openapi.Read(bytes.NewReader(text), plants)
		d2, err2 := openapi.Read(iotest.OneByteReader(bytes.NewReader(text)), plants)
		if (err == nil) != (err2 == nil) {
			t.Fatalf("read at once: %v; read byte by byte: %v", err, err2)
		}
		if err != nil {
			return
		}
		kind := plants.WithKind("Plant")
		got, err := d.Types([]string{"Plant"}).Of("Plant")
		other, err2 := d2.Types([]string{"Plant"}).Of("Plant")
		if (err == nil) != (err2 == nil) {
			t.Fatalf("types: %v, and byte by byte: %v", err, err2)
		}
		if err != nil {
			return
		}
		if differ := fulltypes.Differences(got, other, "none", true); len(differ) > 0 {
			t.Fatalf("byte by byte: %v", differ)
		}
		uses(t, got, definition)
		compare(t, text, got, kind)
	})
}

// uses reads an object by a type: whatever comes of that, nothing panics.
func uses(t *testing.T, by typed.ParseableType, spec []byte) {
	t.Helper()
	var content any
	must(t, json.Unmarshal(spec, &content))
	object := map[string]any{"apiVersion": "example.com/v1", "kind": "Plant", "spec": content}
	err := path.Guard(func() error {
		_, err := by.FromUnstructured(object, typed.AllowDuplicates)
		return err
	})
	if err != nil && strings.Contains(err.Error(), "panic") {
		t.Errorf("read an object: %v", err)
	}
}

// compare compares a type with that of client-go's converter, if that can read the document.
func compare(t *testing.T, text []byte, got typed.ParseableType, kind schema.GroupVersionKind) {
	t.Helper()
	whole, err := fulltypes.Read(text)
	if err != nil || bytes.Count(text, []byte("group-version-kind")) > 1 { // it takes any of two definitions of a kind
		return
	}
	want, err := whole.TypeOf(kind)
	if err != nil {
		return
	}
	for _, d := range fulltypes.Differences(want, got, path.Unmentioned, true) {
		if d.What != fulltypes.OnlyValues {
			t.Errorf("%s", d)
		}
	}
}

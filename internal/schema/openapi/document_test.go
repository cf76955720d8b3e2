package openapi_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/delta-runtime/delta-runtime/internal/schema/openapi"
	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	"github.com/delta-runtime/delta-runtime/internal/testing/fulltypes"
)

// TestADocumentComesInAnyPieces compares all types with those of the whole document.
func TestADocumentComesInAnyPieces(t *testing.T) {
	text := rich(t)
	whole, err := fulltypes.Read([]byte(text))
	must(t, err)
	kinds := []string{"Plant", "PlantList", "Status", "Twig"}
	for name, in := range map[string]io.Reader{
		"byte by byte": iotest.OneByteReader(strings.NewReader(text)), "by halves": iotest.HalfReader(strings.NewReader(text)),
		"with its end": iotest.DataErrReader(strings.NewReader(text)), "and spaces": io.MultiReader(strings.NewReader(text), strings.NewReader(" \n")),
	} {
		d, err := openapi.Read(in, plants)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		together := d.Types(kinds)
		for _, kind := range kinds {
			judge(t, whole, together, plants.WithKind(kind))
			judge(t, whole, d.Types([]string{kind}), plants.WithKind(kind))
		}
	}
}

// TestADocumentThatBreaksOff cuts a document off at each of its bytes. Nobody misses what comes after the definitions.
func TestADocumentThatBreaksOff(t *testing.T) {
	const definitions = `{"openapi": "3.0.0", "paths": {"/a": {"get": [1, -2.5e3, true, null, "\"\u00e4"]}}, "components": {"schemas": {
		"example.Plant": {"type": "object", "properties": {"kind": {"type": "string"}, "metadata": {"type": "object", "default": {}}},
			"x-kubernetes-group-version-kind": [{"group": "example.com", "version": "v1", "kind": "Plant"}]}}`
	const text = definitions + `, "more": {}}, "end": {}}`
	reset := errors.New("connection reset")
	for i := range text {
		if _, err := openapi.Read(strings.NewReader(text[:i]), plants); errors.Is(err, io.ErrUnexpectedEOF) != (i < len(definitions)) {
			t.Errorf("%d of %d bytes: %v", i, len(text), err)
		}
		if _, err := openapi.Read(io.MultiReader(strings.NewReader(text[:i]), iotest.ErrReader(reset)), plants); !errors.Is(err, reset) {
			t.Errorf("the connection ends after %d of %d bytes: %v", i, len(text), err)
		}
	}
}

func TestWhatIsNoDocument(t *testing.T) {
	for text, problem := range map[string]string{
		`<html>`:                                 `read a document: there is '<' instead of '{'`,
		`"a"`:                                    `there is '"' instead of '{'`,
		`}`:                                      `there is '}' instead of '{'`,
		`{"components": 3}`:                      `there is '3' instead of '{'`,
		`{"components": {"schemas": null}}`:      `the definitions begin with <nil>`,
		`{"components": {"schemas": []}}`:        `the definitions begin with [`,
		`{"components": {"schemas": {"a": 01}}}`: `invalid character '1' after object key:value pair`,
		`{"components": {"schemas": {"a": {"type": nul}}}}`:  `definition a: invalid character '}' in literal null`,
		`{"components": {"schemas": {"a" 1}}}`:               `definition a: expected colon after object key`,
		`{"components": {"schemas": {"a": {}, 1}}}`:          `invalid character '1'`,
		`{"components": {"schemas": {"a": {"type": "\x"}}}}`: `invalid character 'x' in string escape code`,
		`{"components": {"schemas": {"a": 3}}}`:              ``, // that definition makes no sense
		`{}`:                                                 ``, `{"components": []}`: ``, `{"a": "components", "components": {"a": {"schemas": 3}}}`: ``,
		`{"components": {"schemas": {"a": null, "b": {"items": null, "type": null, "properties": null, "additionalProperties": null}}}}`: ``,
	} {
		_, err := openapi.Read(strings.NewReader(text), plants)
		if (err == nil) != (problem == "") || !strings.Contains(fmt.Sprint(err), problem) {
			t.Errorf("%.60s: %v, want %s", text, err, problem)
		}
	}
}

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
	want, err := fulltypes.TypeOf(whole.Strict, kind)
	if err != nil {
		return
	}
	for _, d := range fulltypes.Differences(want, got, path.Unmentioned, true) {
		if d.What != fulltypes.OnlyValues {
			t.Errorf("%s", d)
		}
	}
}

package openapi_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/delta-runtime/delta-runtime/internal/schema/openapi"
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

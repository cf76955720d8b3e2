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
	if err != nil {
		t.Fatal(err)
	}
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

// TestADocumentThatBreaksOff cuts a document off at each of its bytes.
func TestADocumentThatBreaksOff(t *testing.T) {
	const text = `{"openapi": "3.0.0", "paths": {"/a": {"get": [1, -2.5e3, true, null, "\"\u00e4"]}}, "components": {"schemas": {
		"example.Plant": {"type": "object", "properties": {"kind": {"type": "string"}, "metadata": {"type": "object", "default": {}}},
			"x-kubernetes-group-version-kind": [{"group": "example.com", "version": "v1", "kind": "Plant"}]}}, "more": {}}, "end": {}}`
	reset := errors.New("connection reset")
	for i := range text {
		if _, err := openapi.Read(strings.NewReader(text[:i]), plants); err == nil || !strings.Contains(err.Error(), "the document ends too early") {
			t.Errorf("%d of %d bytes: %v", i, len(text), err)
		}
		if _, err := openapi.Read(io.MultiReader(strings.NewReader(text[:i]), iotest.ErrReader(reset)), plants); !errors.Is(err, reset) {
			t.Errorf("the connection ends after %d of %d bytes: %v", i, len(text), err)
		}
	}
}

func TestWhatIsNoDocument(t *testing.T) {
	deep := func(n int) string { return `{"paths": ` + strings.Repeat("[", n) + strings.Repeat("]", n) + "}" }
	for text, problem := range map[string]string{
		`<html>`:            `read a document: at byte 0: there is '<' instead of '{'`,
		`{} {}`:             `at byte 3: there is '{' after the end`,
		`{"a": 01}`:         `"01" is not a value`,
		`{"a": nul}`:        `"nul" is not a value`,
		`{"a": }`:           `"" is not a value`,
		`{"a" 1}`:           `at byte 5: there is '1' instead of ':'`,
		`{"a": 1,}`:         `there is '}' instead of '"'`,
		`{"a": [1 2]}`:      `there is '2' instead of ','`,
		`{"a": "\x"}`:       `there is 'x' after a backslash`,
		`{"a": "\u12g4"}`:   `there is 'g' in the number of a character`,
		`{"a": "\v"}`:       `there is 'v' after a backslash`,
		"{\"a\": \"\x1f\"}": `there is '\x1f' in a text`,
		`{"a": "` + strings.Repeat("a", 1<<20) + `", 1}`: `at byte 1048586: there is '1'`,
		"{\"a\": \"\n\"}": `there is '\n' in a text`,
		deep(999):         ``,
		deep(1000):        `there are more than 1000 objects and lists within each other`,
		`{"` + strings.Repeat("a", 65<<10) + `": 1}`:      `a text has more than 65536 bytes`,
		`{"a": ` + strings.Repeat("1", 65<<10) + `}`:      `a number has more than 65536 bytes`,
		`{"a": "` + strings.Repeat("a", 1<<20) + `"}`:     ``,
		`{"components": []}`:                              `there is '[' instead of '{'`,
		`{"components": {"schemas": {"a": 3}}}`:           `definition a: at byte 33: there is '3' instead of '{'`,
		`{"components": {"schemas": {"a": {"type": 3}}}}`: `definition a: at byte 43: there is "3" instead of a text`,
		`{}`: ``, `{"components": null}`: ``, `{"components": {"schemas": {"a": null, "b": {"items": null, "type": null, "properties": null, "additionalProperties": null}}}}`: ``,
	} {
		_, err := openapi.Read(strings.NewReader(text), plants)
		if (err == nil) != (problem == "") || !strings.Contains(fmt.Sprint(err), problem) {
			t.Errorf("%.60s: %v, want %s", text, err, problem)
		}
	}
}

package fulltypes_test

import (
	"os"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/delta-runtime/delta-runtime/internal/testing/fulltypes"
)

var thing = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Thing"}

func typeOf(t *testing.T, text string) typed.ParseableType {
	t.Helper()
	all, err := fulltypes.Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	found, err := fulltypes.TypeOf(all.Strict, thing)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestDifferencesAreNoticed(t *testing.T) {
	read, err := os.ReadFile("testdata/thing.json")
	if err != nil {
		t.Fatal(err)
	}
	text := string(read)
	want := typeOf(t, text)
	if same := fulltypes.Differences(want, typeOf(t, text), "unmentioned", true); len(same) > 0 {
		t.Errorf("it differs from itself: %v", same)
	}
	for _, c := range []struct{ from, to, found string }{
		{`list-type": "map"`, `list-type": "atomic"`, `.ports (): is a list that is atomic, with keys [], and not associative with keys ["port" "protocol"]`},
		{`["port", "protocol"]`, `["port"]`, `.ports (): is a list that is associative, with keys ["port"]`},
		{`"default": "TCP"`, `"default": "UDP"`, `.ports (): has the key protocol, which is "UDP" where it is not said, and not "TCP"`},
		{`"default": "TCP"`, `"title": "x"`, `.ports (): has the key protocol, which is nothing`},
		{`map-type": "atomic"`, `map-type": "granular"`, `.selector (): is a map that is "separable", and not "atomic"`},
		{`"nullable": true`, `"nullable": false`, `.selector (): is nullable: false`},
		{`"additionalProperties": {"type": "string"}`, `"additionalProperties": {"type": "number"}`, `.selector.* (): has other values`},
		{`"additionalProperties": {"type": "string"}`, `"additionalProperties": false`, `.selector (): has fields without a name: false`},
		{`"child": `, `"kid": `, ` (example.Thing): has no field child`},
		{`"child": {"`, `"more": {"type": "string"}, "child": {"`, ` (example.Thing): has 8 fields, and not 7`},
		{`"any": {}`, `"any": {"type": "string", "format": "any"}`, `.any (): is one value, and not anything`},
		{`"any": {}`, `"any": {"type": "object"}`, `.any (): has other values`},
		{`schemas/example.Thing`, `schemas/example.Nothing`, `.child.other (example.Thing): is called "example.Nothing"`},
		{`"leaf": {"type": "boolean"}`, `"leaf": {"type": "integer"}`, `.child.leaf (): has other values`},
	} {
		changed := strings.Replace(text, c.from, c.to, 1)
		if changed == text {
			t.Fatalf("there is no %s", c.from)
		}
		found := fulltypes.Differences(want, typeOf(t, changed), "unmentioned", true)
		if len(found) == 0 || !strings.HasPrefix(found[0].String(), c.found) {
			t.Errorf("%s instead of %s: %v, want %s", c.to, c.from, found, c.found)
		}
	}
}

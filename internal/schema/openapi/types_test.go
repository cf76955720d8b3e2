package openapi_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	smd "sigs.k8s.io/structured-merge-diff/v6/schema"

	"github.com/delta-runtime/delta-runtime/internal/schema/openapi"
	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	"github.com/delta-runtime/delta-runtime/internal/testing/fulltypes"
)

var plants = schema.GroupVersion{Group: "example.com", Version: "v1"}

// rich is a document with all that a definition may have.
func rich(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("testdata/rich.json")
	must(t, err)
	return string(text)
}

func read(t testing.TB, text string) *openapi.Document {
	t.Helper()
	d, err := openapi.Read(strings.NewReader(text), plants)
	must(t, err)
	return d
}

// names are the types of a kind's schema, without those that stand for anything.
func names(t *testing.T, types *openapi.Types, kind string) (all []string) {
	t.Helper()
	found, err := types.Of(kind)
	must(t, err)
	for i := range found.Schema.Types {
		if name := found.Schema.Types[i].Name; !strings.HasPrefix(name, path.UntypedPrefix) {
			all = append(all, name)
		}
	}
	return all
}

// judge compares the types of a kind with those of client-go's converter.
func judge(t *testing.T, whole *fulltypes.Types, types *openapi.Types, kind schema.GroupVersionKind) {
	t.Helper()
	got, err := types.Of(kind.Kind)
	if err != nil {
		t.Errorf("%s: %v", kind.Kind, err)
		return
	}
	strict, err := fulltypes.TypeOf(whole.Strict, kind)
	must(t, err)
	lenient, err := fulltypes.TypeOf(whole.Lenient, kind)
	must(t, err)
	for _, d := range fulltypes.Differences(strict, got, path.Unmentioned, true) {
		t.Errorf("%s, where paths are checked: %s", kind.Kind, d)
	}
	for _, d := range fulltypes.Differences(lenient, got, path.Unmentioned, false) {
		t.Errorf("%s, where objects are read: %s", kind.Kind, d)
	}
}

func TestWhatTheKindsDoNotNeedIsDropped(t *testing.T) {
	d := read(t, rich(t))
	const quantity, raw = "io.k8s.apimachinery.pkg.api.resource.Quantity", "io.k8s.apimachinery.pkg.runtime.RawExtension"
	for kind, want := range map[string][]string{
		"Status": {"example.Status"},
		"Plant":  {"example.Branch", "example.Bud", "example.Meta", "example.Plant", "example.Spec", quantity, raw},
	} {
		if got := names(t, d.Types([]string{kind}), kind); !slices.Equal(got, want) {
			t.Errorf("%s has the types %q, want %q", kind, got, want)
		}
	}
	types := d.Types([]string{"Plant"})
	if _, err := types.Of("Status"); !errors.Is(err, openapi.ErrNoKind) {
		t.Errorf("a kind that nobody asked for: %v", err)
	}
}

// TestEqualPartsAreTheSameMemory has parts of one document that are equal, and some that are nearly so.
func TestEqualPartsAreTheSameMemory(t *testing.T) {
	text := strings.Replace(rich(t), `"labels": `, `"again": {"type": "object", "additionalProperties": {"type": "object", "properties": {"text": {"type": "string"}}}}, "labels": `, 1)
	found, err := read(t, text).Types([]string{"Plant"}).Of("Plant")
	must(t, err)
	part := func(name, field string) smd.Atom {
		def, _ := found.Schema.FindNamedType(name)
		below, _ := def.Map.FindField(field)
		return below.Type.Inlined
	}
	leaves, notes, finalizers := part("example.Spec", "leaves"), part("example.Spec", "notes"), part("example.Meta", "finalizers")
	if notes.List == nil || notes.List != finalizers.List || notes.List == leaves.List {
		t.Error("two sets of texts are two types, or a set is a map")
	}
	again, once, labels := part("example.Meta", "again"), part("example.Meta", "notes"), part("example.Meta", "labels")
	if again.Map == nil || again.Map != once.Map || again.Map == labels.Map {
		t.Error("two maps of the same are two types, or two that are not equal are one")
	}
}

func TestWhatIsWrongIsSaid(t *testing.T) {
	const plain = `{"type": "string"}`
	for _, c := range []struct{ spec, problem string }{
		{`{"$ref": "#/components/schemas/example.Nothing"}`, "the document has no definition example.Nothing"},
		{`{"allOf": [{"$ref": "#/components/schemas/example.Alias"}]}`, "definition example.Alias: it is nothing but a reference"},
		{`{"$ref": "#/components/schemas/example.Loop"}`, "definition example.Loop: it is nothing but a reference"},
		{`{"type": "array"}`, "field spec: nothing says what the elements of a list are"},
		{`{"type": "array", "items": [` + plain + `]}`, "definition example.Plant: json: cannot unmarshal array into Go struct field shape.shape.properties.items"},
		{`{"type": "array", "items": {"type": "nonsense"}}`, `field spec: elements: type "nonsense" is unknown`},
		{`{"type": "array", "items": ` + plain + `, "x-kubernetes-list-type": "bag"}`, `a list has type "bag"`},
		{`{"type": "array", "items": ` + plain + `, "x-kubernetes-list-type": "map"}`, "a list of type map has no keys"},
		{`{"type": "array", "items": ` + plain + `, "x-kubernetes-patch-strategy": "hope"}`, `a list has patch strategy "hope"`},
		{`{"type": "object", "x-kubernetes-map-type": "round"}`, `a map has type "round"`},
		{`{"$ref": "#/components/schemas/example.Leaf", "x-kubernetes-map-type": "round"}`, `a map has type "round"`},
		{`{"type": ["object", 3]}`, ""},
		{`{"type": 3}`, `field spec: type "3" is unknown`},
		{`{"type": "string", "nullable": "maybe"}`, "definition example.Plant: json: cannot unmarshal string"},
		{`{"type": "object", "properties": {"a": null, "b": {"nullable": null}}}`, ""},
		{`{"type": "object", "additionalProperties": {"type": "array"}}`, "field spec: other fields: nothing says"},
		{`{"type": "string", "default": "` + strings.Repeat("x", 70_000) + `"}`, ""},
		{`{"type": "number", "default": 1e400}`, "definition example.Plant: json: cannot unmarshal number 1e400"},
		{strings.Repeat(`{"items": `, 900) + `{}` + strings.Repeat(`}`, 900), ""},
	} {
		text := fmt.Sprintf(`{"components": {"schemas": {
			"example.Alias": {"$ref": "#/components/schemas/example.Leaf"},
			"example.Leaf": {"type": "object", "properties": {"a": {}}},
			"example.Loop": {"$ref": "#/components/schemas/example.Loop"},
			"example.Other": {"type": "object", "x-kubernetes-group-version-kind": [{"group": "example.com", "version": "v1", "kind": "Other"}]},
			"example.Plant": {"type": "object", "properties": {"spec": %s},
				"x-kubernetes-group-version-kind": [{"group": "example.com", "version": "v1", "kind": "Plant"}]}}}}`, c.spec)
		types := read(t, text).Types([]string{"Other", "Plant", "Unheard"})
		_, err := types.Of("Plant")
		if c.problem == "" && err != nil || c.problem != "" && (err == nil || !strings.Contains(err.Error(), c.problem)) {
			t.Errorf("%.80s: %v, want %q", c.spec, err, c.problem)
		}
		if _, err := types.Of("Other"); err != nil {
			t.Errorf("%.80s: another kind: %v", c.spec, err)
		}
		if _, err := types.Of("Unheard"); !errors.Is(err, openapi.ErrNoKind) {
			t.Errorf("%.80s: no such kind: %v", c.spec, err)
		}
	}
}

// TestANumberOrATextIsOneValue has the type that the whole document takes for anything.
func TestANumberOrATextIsOneValue(t *testing.T) {
	text := strings.Replace(rich(t), `"cert": {"type": "string", "format": "byte"}`, `"cert": {"format": "int-or-string", "oneOf": [{"type": "integer"}, {"type": "string"}]}`, 1)
	whole, err := fulltypes.Read([]byte(text))
	must(t, err)
	want, err := fulltypes.TypeOf(whole.Strict, plants.WithKind("Plant"))
	must(t, err)
	got, err := read(t, text).Types([]string{"Plant"}).Of("Plant")
	must(t, err)
	differ := fulltypes.Differences(want, got, path.Unmentioned, true)
	if len(differ) != 1 || differ[0].String() != ".spec.cert (): "+fulltypes.OnlyValues {
		t.Errorf("it differs in %v", differ)
	}
}

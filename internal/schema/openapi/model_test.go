package openapi_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/testing/fulltypes"
	"github.com/delta-runtime/delta-runtime/internal/testing/samples"
	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
)

// author writes random documents.
type author struct {
	samples.Dice
	definitions int
}

func (a *author) name(i int) string { return fmt.Sprint("example.D", i) }

// document describes a kind for each definition.
func (a *author) document() []byte {
	all := map[string]any{}
	for i := range a.definitions {
		object := a.object(0)
		properties := object["properties"].(map[string]any)
		properties["apiVersion"], properties["kind"] = map[string]any{"type": "string"}, map[string]any{"type": "string"}
		object["type"] = "object"
		object["x-kubernetes-group-version-kind"] = []any{map[string]any{"group": plants.Group, "version": plants.Version, "kind": fmt.Sprint("K", i)}}
		all[a.name(i)] = object
	}
	text, err := json.Marshal(map[string]any{"openapi": "3.0.0", "components": map[string]any{"schemas": all}})
	if err != nil {
		panic(err)
	}
	return text
}

// schema is any schema.
func (a *author) schema(depth int) map[string]any {
	s := map[string]any{}
	switch n := a.IntN(16); {
	case n < 2:
		s["$ref"] = "#/components/schemas/" + a.name(a.IntN(a.definitions))
	case n < 4:
		s["allOf"] = []any{map[string]any{"$ref": "#/components/schemas/" + a.name(a.IntN(a.definitions))}}
	case n < 9 || depth > 3:
		s["type"] = a.OneOf("string", "integer", "number", "boolean")
		a.sometimes(s, "format", "byte", "date-time", "int32", "")
	case n < 12:
		s = a.object(depth + 1)
	case n < 15:
		s = a.list(depth + 1)
	}
	a.sometimes(s, "default", "x", 3, 2.5, true, nil) // a list or an object can't be a key
	a.sometimes(s, "nullable", true, false)
	a.sometimes(s, "description", "é \" \n \\ 🌱")
	a.sometimes(s, "x-kubernetes-preserve-unknown-fields", true, true, false)
	a.sometimes(s, "x-kubernetes-map-type", "atomic", "granular")
	a.sometimes(s, "x-kubernetes-unheard-of", []any{map[string]any{"type": 3}})
	return s
}

func (a *author) sometimes(s map[string]any, key string, values ...any) {
	if a.Seldom() {
		s[key] = a.OneOf(values...)
	}
}

func (a *author) object(depth int) map[string]any {
	properties := map[string]any{}
	for range a.IntN(5) {
		properties[a.OneOf("a", "b", "c", "ä", `d"`, "type", "$ref").(string)] = a.schema(depth)
	}
	s := map[string]any{"type": "object", "properties": properties}
	if a.Seldom() {
		delete(s, "type")
	}
	switch a.IntN(8) {
	case 0:
		s["additionalProperties"] = a.Often()
	case 1:
		s["additionalProperties"] = a.schema(depth)
	}
	return s
}

func (a *author) list(depth int) map[string]any {
	s := map[string]any{"type": "array", "items": a.schema(depth)}
	a.sometimes(s, "x-kubernetes-patch-strategy", "merge", "merge,retainKeys", "retainKeys")
	a.sometimes(s, "x-kubernetes-patch-merge-key", "a", "b", "c")
	a.sometimes(s, "x-kubernetes-list-map-keys", []any{"a"}, []any{"a", "b"}, []any{})
	if a.Often() {
		s["x-kubernetes-list-type"] = a.OneOf("atomic", "set")
		if s["x-kubernetes-list-map-keys"] != nil {
			s["x-kubernetes-list-type"] = "map"
		}
	}
	return s
}

// TestRandomDocuments reads random documents for some of their kinds.
func TestRandomDocuments(t *testing.T) {
	seeds.Each(t, 300, func(t *testing.T, seed uint64) {
		a := &author{samples.NewDice(seed), 1 + rand.New(rand.NewPCG(seed, 1)).IntN(5)}
		text := a.document()
		whole, err := fulltypes.Read(text)
		if err != nil {
			t.Fatalf("%s\n%v", text, err)
		}
		var kinds []string
		for i := range a.definitions {
			if a.Often() {
				kinds = append(kinds, fmt.Sprint("K", i))
			}
		}
		types := read(t, string(text)).Types(kinds)
		for _, kind := range kinds {
			judge(t, whole, types, plants.WithKind(kind))
		}
		if t.Failed() {
			t.Logf("%s", text)
		}
	})
}

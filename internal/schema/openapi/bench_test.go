package openapi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/schema/openapi"
	"github.com/delta-runtime/delta-runtime/internal/testing/fulltypes"
)

// large is a document of 20 custom kinds. Each has 2,400 fields with a description. Nearly all kinds have the
// same fields, as kinds that run Pods do.
func large() string {
	about := strings.Repeat("says what this is for, and what not. ", 3)
	var text strings.Builder
	text.WriteString(`{"openapi": "3.0.0", "components": {"schemas": {`)
	for kind := range 20 {
		fmt.Fprintf(&text, `"com.example.v1.K%d": {"type": "object", "x-kubernetes-group-version-kind": [{"group": "example.com", "version": "v1", "kind": "K%d"}],
			"properties": {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "own%d": {"type": "string"}`, kind, kind, kind)
		for part := range 40 {
			fmt.Fprintf(&text, `, "part%d": {"type": "object", "description": %q, "properties": {"name": {"type": "string"}`, part, about)
			for field := range 59 {
				fmt.Fprintf(&text, `, "field%d": {"type": "string", "description": %q, "default": ""}`, field+part%7, about)
			}
			text.WriteString("}}")
		}
		text.WriteString("}},\n")
	}
	return strings.TrimSuffix(text.String(), ",\n") + "}}}"
}

// BenchmarkLargeDocument makes the type of one kind out of many. The incumbent is client-go's converter.
func BenchmarkLargeDocument(b *testing.B) {
	text := large()
	kind := plants.WithKind("K7")
	b.Run("delta", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			d, err := openapi.Read(strings.NewReader(text), plants)
			must(b, err)
			if _, err := d.Types([]string{kind.Kind}).Of(kind.Kind); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("incumbent", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			all, err := fulltypes.Read([]byte(text))
			must(b, err)
			if _, err := fulltypes.TypeOf(all.Strict, kind); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

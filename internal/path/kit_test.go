package path_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	unstructuredv1 "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// builtin are the schemas of all kinds that client-go knows.
var builtin = applyconfigurations.NewTypeConverter(scheme.Scheme)

// customSchemas know the kind of testdata/custom.yaml.
type customSchemas struct{ parser *typed.Parser }

func custom(t *testing.T) customSchemas {
	t.Helper()
	text, err := os.ReadFile("testdata/custom.yaml")
	if err != nil {
		t.Fatal(err)
	}
	parser, err := typed.NewParser(typed.YAMLObject(text))
	if err != nil {
		t.Fatal(err)
	}
	return customSchemas{parser}
}

func (c customSchemas) ObjectToTyped(obj runtime.Object, opts ...typed.ValidationOptions) (*typed.TypedValue, error) {
	return typed.AsTyped(value.NewValueInterface(obj.(*unstructuredv1.Unstructured).Object), &c.parser.Schema, c.parser.Type("custom").TypeRef, opts...)
}

// refusing are schemas that know no kind.
type refusing struct{}

func (refusing) ObjectToTyped(runtime.Object, ...typed.ValidationOptions) (*typed.TypedValue, error) {
	return nil, errors.New("never heard of it")
}

// dice make random values.
type dice struct{ *rand.Rand }

func (d *dice) oneOf(values ...any) any { return values[d.IntN(len(values))] }
func (d *dice) often() bool             { return d.IntN(3) > 0 }
func (d *dice) seldom() bool            { return d.IntN(8) == 0 }

func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("BUG: %v is not JSON: %v", v, err))
	}
	return string(text)
}

// tree is the JSON of an object, decoded.
func tree(v any) map[string]any {
	var m map[string]any
	if err := json.Unmarshal([]byte(asJSON(v)), &m); err != nil {
		panic(fmt.Sprintf("BUG: an object is not a JSON object: %v", err))
	}
	return m
}

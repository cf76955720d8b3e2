//go:build !race

// One goroutine plays all of this, and the race detector has nothing to find.

package schemas_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/delta-runtime/delta-runtime/internal/schema/openapi"
	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	"github.com/delta-runtime/delta-runtime/internal/testing/fulltypes"
)

// oneValue is the only type that is otherwise: the converter takes it for anything, although it is a
// number or a text. client-go knows better.
const oneValue = "io.k8s.apimachinery.pkg.util.intstr.IntOrString"

// noObjects have no apiVersion and no kind, so the converter does not tell their types.
var noObjects = []string{"WatchEvent"}

// TestTypesAreThoseOfTheWholeDocument compares the types of all kinds that a real server describes with
// those that client-go's converter makes of the whole document, and with those that client-go has.
func TestTypesAreThoseOfTheWholeDocument(t *testing.T) {
	s := realServer(t)
	defineGarden(t, s)
	all := schemasOf(t, s.config, s.client)
	count, known := 0, 0
	for of, text := range s.documents {
		whole, err := fulltypes.Read([]byte(text))
		must(t, err)
		document, err := openapi.Read(strings.NewReader(text), of)
		must(t, err)
		for _, kind := range s.kinds(t, of) {
			if slices.Contains(noObjects, kind.Kind) {
				continue
			}
			count++
			alone, err := document.Types([]string{kind.Kind}).Of(kind.Kind)
			if err != nil {
				t.Error(err)
				continue
			}
			together, err := all.TypeOf(kind)
			if err != nil {
				t.Error(err)
				continue
			}
			for _, got := range []typed.ParseableType{alone, together} {
				agreement{kind, whole.Strict, true}.check(t, got)
				agreement{kind, whole.Lenient, false}.check(t, got)
			}
			if clientGo.Recognizes(kind) && !strings.HasSuffix(kind.Kind, "List") {
				known += agreement{kind, clientGoTypes(), true}.check(t, together)
			}
		}
	}
	t.Logf("%d kinds are as in the whole document, and %d as client-go has them", count, known)
	if count < 150 || known < 60 {
		t.Error("that is not all of them")
	}
	if _, err := all.TypeOf(schema.GroupVersionKind{Version: "v1", Kind: "PodExecOptions"}); !errors.Is(err, openapi.ErrNoKind) {
		t.Errorf("a kind that no document describes: %v", err)
	}
}

// agreement is what a converter says about a kind.
type agreement struct {
	kind   schema.GroupVersionKind
	by     converter
	strict bool
}

// check compares a type with that of the converter. It returns how many types were compared.
func (a agreement) check(t *testing.T, got typed.ParseableType) int {
	t.Helper()
	fromClientGo := a.by == clientGoTypes()
	want, err := fulltypes.TypeOf(a.by, a.kind)
	if err != nil {
		if !fromClientGo {
			t.Errorf("%s: %v", a.kind, err)
		}
		return 0
	}
	for _, d := range fulltypes.Differences(want, got, path.Unmentioned, a.strict) {
		switch {
		case !fromClientGo && d.Type == oneValue && d.What == fulltypes.OnlyValues:
		case fromClientGo && strings.HasPrefix(d.What, fulltypes.OtherName): // of types that may be anything
		default:
			t.Errorf("%s (strict: %t): %s", a.kind, a.strict, d)
		}
	}
	return 1
}

// The promise that the tests of this package hold the decoder to. If JSON or Proto accepts some bytes, then
//
//   - apimachinery accepts the same bytes, up to the end that was returned;
//   - the object is what apimachinery makes of them, by reflect.DeepEqual: nil is not empty, a time has its
//     location and a quantity its form, and zeros have signs;
//   - that holds whatever it was to be like: nothing, the same object, another version of it, any other object of
//     the type, one that has its parts more than once, or one of another type; that object is not changed, and
//     what is accepted like nothing is accepted like it;
//   - nothing of the object is in the bytes, and nothing is in what the decoder uses again;
//   - a refusal leaves nothing behind.
//
// It never panics, and it accepts all that an API server sends.
package decode_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/randfill"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
)

// typesOfScheme are the types of client-go's scheme that have metadata.
func typesOfScheme() map[string]reflect.Type {
	types := map[string]reflect.Type{}
	for _, made := range scheme.Scheme.AllKnownTypes() {
		if reflect.PointerTo(made).Implements(reflect.TypeFor[metav1.Object]()) {
			types[made.PkgPath()+"."+made.Name()] = made
		}
	}
	return types
}

func TestEveryTypeOfTheScheme(t *testing.T) {
	types := typesOfScheme()
	if len(types) < 100 {
		t.Fatalf("there are %d types", len(types))
	}
	for _, name := range shareOf(slices.Sorted(maps.Keys(types)), inTypes) {
		made := types[name]
		t.Run(name, func(t *testing.T) {
			seeds.RunHeavy(t, 1, func(t *testing.T, rng *rand.Rand) { everyWay(t, rng, made) })
		})
	}
}

// everyWay writes a random object in each form that its type has, and looks whether it is accepted.
func everyWay(t *testing.T, rng *rand.Rand, made reflect.Type) {
	t.Helper()
	s := newSubject(t, reflect.New(made).Interface())
	obj := random(rng, made)
	likes := kin(rng, obj, random(rng, made))
	text, err := json.Marshal(obj)
	must(t, err)
	if !s.holds(t, asJSON, text, likes...) {
		t.Errorf("refused: %s", text)
	}
	if sender, ok := obj.(interface{ Marshal() ([]byte, error) }); ok {
		sent, err := sender.Marshal()
		must(t, err)
		if !s.holds(t, asProto, sent, likes...) {
			t.Errorf("refused: %q", sent)
		}
	}
}

// source is a random number generator as it was in the first version of math/rand.
type source struct{ *rand.Rand }

func (s source) Int63() int64 { return s.Int64() }
func (source) Seed(int64)     {}

// random makes an object of a type. Of some types it needs to be told how.
func random(rng *rand.Rand, made reflect.Type, how ...any) any {
	obj := reflect.New(made).Interface()
	fill := fuzzer.FuzzerFor(metafuzzer.Funcs, source{rng}, serializer.NewCodecFactory(scheme.Scheme))
	fill.NilChance(.3).NumElements(0, 3).MaxDepth(16).Funcs(
		func(f *metav1.FieldsV1, c randfill.Continue) {
			var name string
			c.Fill(&name)
			quoted, _ := json.Marshal("f:" + name) //nolint:errchkjson // a string
			f.SetRawString(`{` + string(quoted) + `:{}}`)
		},
		func(n *corev1.ResourceName, c randfill.Continue) { // the API server refuses others
			*n = corev1.ResourceName(fmt.Sprintf("example.com/thing-%d", c.Intn(1000)))
		},
		func(m *map[string][]byte, c randfill.Continue) { // what was stored once is not nil
			c.FillNoCustom(m)
			for name, value := range *m {
				(*m)[name] = append([]byte{}, value...)
			}
		},
		func(e *metav1.ManagedFieldsEntry, c randfill.Continue) { c.FillNoCustom(e) },
	).Funcs(how...).Fill(obj)
	return obj
}

// kin are objects that one may be like: a stranger, some that have parts in common with both, one whose parts
// are there more than once, and none at all.
func kin(rng *rand.Rand, obj, stranger any) []any {
	version, tangled := duplicate(obj), duplicate(stranger)
	mix(rng, reflect.ValueOf(version).Elem(), reflect.ValueOf(duplicate(stranger)).Elem())
	mix(rng, reflect.ValueOf(tangled).Elem(), reflect.ValueOf(duplicate(obj)).Elem())
	tangle(reflect.ValueOf(tangled).Elem(), map[reflect.Type]reflect.Value{})
	nothing := reflect.Zero(reflect.TypeOf(obj)).Interface()
	return []any{stranger, version, tangled, nothing, &metav1.Status{}, 0}
}

// mix puts some parts of b into a.
func mix(rng *rand.Rand, a, b reflect.Value) {
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			if !a.Type().Field(i).IsExported() {
				return
			}
			if rng.IntN(8) == 0 {
				a.Field(i).Set(b.Field(i))
			} else {
				mix(rng, a.Field(i), b.Field(i))
			}
		}
	case reflect.Pointer:
		if !a.IsNil() && !b.IsNil() {
			mix(rng, a.Elem(), b.Elem())
		}
	case reflect.Slice:
		for i := range min(a.Len(), b.Len()) {
			mix(rng, a.Index(i), b.Index(i))
		}
	default:
	}
}

// tangle has the parts of an object that are of one type be one part, and lists have room behind their end.
func tangle(v reflect.Value, first map[reflect.Type]reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				tangle(v.Field(i), first)
			}
		}
	case reflect.Pointer, reflect.Slice, reflect.Map:
		if v.IsNil() {
			return
		}
		if one, met := first[v.Type()]; met {
			v.Set(one)
			return
		}
		switch v.Kind() {
		case reflect.Pointer:
			tangle(v.Elem(), first)
		case reflect.Slice:
			v.Grow(4)
			for i := range v.Len() {
				tangle(v.Index(i), first)
			}
		default:
		}
		first[v.Type()] = v
	default:
	}
}

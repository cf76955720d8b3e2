package imprint_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"

	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	"k8s.io/apimachinery/pkg/api/resource"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/randfill"
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

// source is a random number generator as it was in the first version of math/rand.
type source struct{ *rand.Rand }

func (s source) Int63() int64 { return s.Int64() }
func (source) Seed(int64)     {}

// amounts are quantities of all forms.
var amounts = []string{"0", "1", "100m", "0.5", "1.50", "1Gi", "1.5Gi", "1e3", "12e6", "-3", "1n", "999999999999999999999", "1.0000000000000000000001"}

// random makes an object of a type.
func random(rng *rand.Rand, made reflect.Type) any {
	obj := reflect.New(made).Interface()
	fill := fuzzer.FuzzerFor(metafuzzer.Funcs, source{rng}, serializer.NewCodecFactory(scheme.Scheme))
	fill.NilChance(.3).NumElements(0, 3).MaxDepth(16).Funcs(
		func(f *metav1.FieldsV1, c randfill.Continue) {
			var name string
			c.Fill(&name)
			quoted, _ := json.Marshal("f:" + name) //nolint:errchkjson // a string
			f.SetRawString(`{` + string(quoted) + `:{}}`)
		},
		func(q *resource.Quantity, c randfill.Continue) {
			*q = resource.MustParse(amounts[c.Intn(len(amounts))])
		},
		func(e *runtime.RawExtension, c randfill.Continue) {
			if c.Bool() {
				e.Raw = []byte(`{"a":1}`)
			}
		},
		func(e *metav1.ManagedFieldsEntry, c randfill.Continue) { c.FillNoCustom(e) },
		func(v *any, _ randfill.Continue) { *v = anything(rng, 3) },
	).Fill(obj)
	return obj
}

// anything makes a value as decoders make it of JSON.
func anything(rng *rand.Rand, deep int) any {
	sort := rng.IntN(11)
	if deep == 0 {
		sort = rng.IntN(7)
	}
	switch sort {
	case 0:
		return nil
	case 1:
		return rng.IntN(2) == 0
	case 2:
		return rng.Int64() - rng.Int64()
	case 3:
		return float64(rng.IntN(3)) // a whole number
	case 4:
		return rng.NormFloat64()
	case 5, 6:
		return []string{"", "a", "something longer", "something larger"}[rng.IntN(4)]
	case 7, 8:
		return things(rng, deep)
	default:
		return entries(rng, deep)
	}
}

func things(rng *rand.Rand, deep int) []any {
	if rng.IntN(6) == 0 {
		return nil
	}
	made := make([]any, rng.IntN(5))
	for i := range made {
		made[i] = anything(rng, deep-1)
	}
	return made
}

func entries(rng *rand.Rand, deep int) map[string]any {
	if rng.IntN(6) == 0 {
		return nil
	}
	made := map[string]any{}
	for range rng.IntN(6) {
		made[[]string{"", "a", "b", "c", "spec", "status"}[rng.IntN(6)]] = anything(rng, deep-1)
	}
	return made
}

// change replaces some parts of a by those of b, or by nothing, or by something empty. It changes nothing that a leads to:
// that is copied before, except where it stays as it is, and there it is shared with a.
func change(rng *rand.Rand, a, b reflect.Value) {
	switch rng.IntN(24) {
	case 0:
		a.Set(b)
		return
	case 1:
		a.SetZero()
		return
	case 2, 3:
		return
	}
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			if !a.Type().Field(i).IsExported() {
				return
			}
			change(rng, a.Field(i), b.Field(i))
		}
	case reflect.Pointer:
		if made := reflect.New(a.Type().Elem()); !a.IsNil() {
			made.Elem().Set(a.Elem())
			if !b.IsNil() {
				change(rng, made.Elem(), b.Elem())
			}
			a.Set(made)
		}
	case reflect.Interface:
		changeAny(rng, a, b)
	case reflect.Slice:
		changeList(rng, a, b)
	case reflect.Map:
		changeMap(rng, a, b)
	default:
	}
}

func changeAny(rng *rand.Rand, a, b reflect.Value) {
	if a.IsNil() || b.IsNil() || a.Elem().Type() != b.Elem().Type() {
		return
	}
	made := reflect.New(a.Elem().Type()).Elem()
	made.Set(a.Elem())
	change(rng, made, b.Elem())
	a.Set(made)
}

func changeList(rng *rand.Rand, a, b reflect.Value) {
	n := max(0, a.Len()+rng.IntN(3)-1)
	if a.IsNil() && n == 0 && rng.IntN(2) == 0 {
		return
	}
	made := reflect.MakeSlice(a.Type(), n, n+rng.IntN(3))
	reflect.Copy(made, a)
	for i := range n {
		if i < b.Len() {
			change(rng, made.Index(i), b.Index(i))
		}
	}
	a.Set(made)
}

func changeMap(rng *rand.Rand, a, b reflect.Value) {
	made := reflect.MakeMap(a.Type())
	for _, from := range []reflect.Value{a, b} {
		for key, value := range from.Seq2() {
			kept := reflect.New(value.Type()).Elem()
			kept.Set(value)
			if other := b.MapIndex(key); other.IsValid() {
				change(rng, kept, other)
			}
			if rng.IntN(5) > 0 {
				made.SetMapIndex(key, kept)
			}
		}
		if rng.IntN(3) > 0 {
			break
		}
	}
	a.Set(made)
}

// next is a changed object, which shares what is not changed.
func next(rng *rand.Rand, obj, stranger any) any {
	made := reflect.New(reflect.TypeOf(obj).Elem())
	made.Elem().Set(reflect.ValueOf(obj).Elem())
	for i := range made.Elem().NumField() {
		change(rng, made.Elem().Field(i), reflect.ValueOf(stranger).Elem().Field(i))
	}
	return made.Interface()
}

// duplicate copies all that can be reached, as far as it is exported.
func duplicate(obj any) any { return copied(reflect.ValueOf(obj)).Interface() }

func copied(v reflect.Value) reflect.Value {
	made := reflect.New(v.Type()).Elem()
	made.Set(v)
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			made.Set(reflect.New(v.Type().Elem()))
			made.Elem().Set(copied(v.Elem()))
		}
	case reflect.Interface:
		if !v.IsNil() {
			made.Set(copied(v.Elem()))
		}
	case reflect.Slice:
		if !v.IsNil() {
			made.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
			for i := range v.Len() {
				made.Index(i).Set(copied(v.Index(i)))
			}
		}
	case reflect.Map:
		if !v.IsNil() {
			made.Set(reflect.MakeMap(v.Type()))
			for key, value := range v.Seq2() {
				made.SetMapIndex(key, copied(value))
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				made.Field(i).Set(copied(v.Field(i)))
			}
		}
	default:
	}
	return made
}

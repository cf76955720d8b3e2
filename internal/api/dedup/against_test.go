package dedup_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	"k8s.io/apimachinery/pkg/api/resource"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/delta-runtime/delta-runtime/internal/api/dedup"
	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// source is a random number generator as it was in the first version of math/rand.
type source struct{ *rand.Rand }

func (s source) Int63() int64 { return s.Int64() }
func (source) Seed(int64)     {}

// pair makes two objects of a type that have a part in common, but no memory.
func pair(t *testing.T, rng *rand.Rand, made reflect.Type) (obj, like runtime.Object) {
	t.Helper()
	fill := fuzzer.FuzzerFor(metafuzzer.Funcs, source{rng}, serializer.NewCodecFactory(scheme.Scheme))
	obj, other := reflect.New(made).Interface().(runtime.Object), reflect.New(made).Interface().(runtime.Object)
	fill.Fill(obj)
	fill.Fill(other)
	like = obj.DeepCopyObject()
	mix(rng, reflect.ValueOf(like).Elem(), reflect.ValueOf(other).Elem())
	return obj, like
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

func TestRandomObjects(t *testing.T) {
	types := map[reflect.Type]bool{}
	for _, made := range scheme.Scheme.AllKnownTypes() {
		types[made] = true
	}
	if len(types) < 300 {
		t.Fatalf("there are %d types", len(types))
	}
	var shared int
	for made := range types {
		t.Run(made.String(), func(t *testing.T) {
			seeds.Run(t, 5, func(t *testing.T, rng *rand.Rand) {
				obj, like := pair(t, rng, made)
				was, likeWas := obj.DeepCopyObject(), like.DeepCopyObject()
				likeBefore := addresses(reflect.ValueOf(like), nil)
				dedup.Against(obj, like)
				if !reflect.DeepEqual(obj, was) {
					t.Errorf("the object became another one:\n%+v\nbefore:\n%+v", obj, was)
				}
				if !reflect.DeepEqual(like, likeWas) || !slices.Equal(addresses(reflect.ValueOf(like), nil), likeBefore) {
					t.Errorf("the object to be like became another one:\n%+v\nbefore:\n%+v", like, likeWas)
				}
				shared += checkShared(t, made.String(), reflect.ValueOf(obj).Elem(), reflect.ValueOf(like).Elem())
			})
		})
	}
	if shared < 10_000 {
		t.Errorf("only %d parts were shared", shared)
	}
}

// checkShared looks for parts that are equal and not shared, and counts those that are.
func checkShared(t *testing.T, path string, a, b reflect.Value) (shared int) {
	t.Helper()
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			field := a.Type().Field(i)
			if !field.IsExported() {
				return shared
			}
			shared += checkShared(t, path+"."+field.Name, a.Field(i), b.Field(i))
		}
	case reflect.Pointer, reflect.Map, reflect.Slice:
		switch {
		case a.IsNil() || b.IsNil() || a.Kind() != reflect.Pointer && a.Len() == 0:
		case a.UnsafePointer() == b.UnsafePointer():
			return 1
		case !holdsQuantity(a.Type(), false) && reflect.DeepEqual(a.Interface(), b.Interface()):
			t.Errorf("%s is equal and not shared: %+v", path, a)
		case a.Kind() == reflect.Pointer:
			return checkShared(t, path, a.Elem(), b.Elem())
		case a.Kind() == reflect.Slice:
			for i := range min(a.Len(), b.Len()) {
				shared += checkShared(t, path+"[]", a.Index(i), b.Index(i))
			}
		}
	case reflect.String:
		if s := a.String(); s != "" && s == b.String() {
			return 1
		}
	default:
	}
	return shared
}

// holdsQuantity reports whether values of a type lead to a quantity that is not in a map, which is never shared.
func holdsQuantity(t reflect.Type, inMap bool, around ...reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return holdsQuantity(t.Elem(), false, around...)
	case reflect.Map:
		return holdsQuantity(t.Elem(), true, around...)
	case reflect.Array:
		return holdsQuantity(t.Elem(), inMap, around...)
	case reflect.Struct:
		if t == reflect.TypeFor[resource.Quantity]() {
			return !inMap
		}
		if slices.Contains(around, t) { // a type may lead to itself
			return false
		}
		for field := range t.Fields() {
			if field.IsExported() && holdsQuantity(field.Type, inMap, append(slices.Clip(around), t)...) {
				return true
			}
		}
	default:
	}
	return false
}

// addresses lists where everything is that can be reached, except for what is in maps with other keys than strings.
func addresses(v reflect.Value, all []unsafe.Pointer) []unsafe.Pointer {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			all = addresses(v.Field(i), all)
		}
	case reflect.Pointer:
		if all = append(all, v.UnsafePointer()); !v.IsNil() {
			all = addresses(v.Elem(), all)
		}
	case reflect.Slice:
		all = append(all, v.UnsafePointer())
		for i := range v.Len() {
			all = addresses(v.Index(i), all)
		}
	case reflect.Map:
		all = append(all, v.UnsafePointer())
		if v.Type().Key().Kind() != reflect.String {
			return all
		}
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, key := range keys {
			all = addresses(v.MapIndex(key), all)
		}
	case reflect.Interface:
		all = addresses(v.Elem(), all)
	case reflect.String:
		all = append(all, unsafe.Pointer(unsafe.StringData(v.String())))
	default:
	}
	return all
}

package decode_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/delta-runtime/delta-runtime/internal/api/decode"
	"github.com/delta-runtime/delta-runtime/internal/testing/benchkit"
)

// TestManyAtOnceAreLikeOne decodes in some goroutines what is like the same object. The race detector sees it if one
// of them writes there, and so do maps.
func TestManyAtOnceAreLikeOne(t *testing.T) {
	tree := map[string]any{"a": map[string]any{"b": []any{"c", map[string]any{"d": int64(1)}}}, "e": []any{[]any{}, 1.5}}
	pod := benchkit.Pods(1)[0]
	for _, like := range []any{
		&widget{Spec: widgetSpec{Values: tree, Template: corev1.PodTemplateSpec{Spec: pod.Spec}}},
		&dynamics{Any: tree, Anys: []any{tree}, Map: tree, Maps: map[string]map[string]any{"x": tree}, Lists: map[string][]any{"x": {tree}}},
		&collections{Maps: map[string]map[string]string{"a": {"b": "c"}}, Structs: map[string]Deep{"a": {}}, Slices: map[string][]string{"a": {"b"}}},
		&unstructured.Unstructured{Object: tree},
		pod.DeepCopy(),
	} {
		t.Run(reflect.TypeOf(like).Elem().Name(), func(t *testing.T) {
			text := []byte(encoded(contents(like)))
			var running sync.WaitGroup
			for range 8 {
				running.Go(func() {
					s := newSubject(t, like)
					for range 200 {
						if obj, _, ok := s.decoder.JSON(text, like); !ok || obj == nil {
							t.Errorf("refused: %s", text)
						}
					}
				})
			}
			running.Wait()
		})
	}
}

// TestFieldSets holds field sets against others that are like their beginning, and against none.
func TestFieldSets(t *testing.T) {
	s := newSubject(t, &corev1.Pod{})
	sets := []string{`{}`, `{"f:a":{}}`, `{"f:a":{},"f:b":{}}`, `{"a":"}"}`, `{"a":"\""}`, `{"a":"\"}"}`, "{ }", "{\n}", `{"a":{"}":{}}}`, `{"\ud800":{}}`, "{\"\xff\":{}}", ``, `null`}
	var likes []any
	for _, text := range sets {
		about := metav1.ObjectMeta{ManagedFields: []metav1.ManagedFieldsEntry{{FieldsV1: metav1.NewFieldsV1(text)}}}
		likes = append(likes, &corev1.Pod{ObjectMeta: about})
	}
	for _, text := range append(sets, `{"f:a":{}},"time":"2026-03-01T12:00:00Z"`, `{ab}`, `{"f:a"}`, `{"a":"b`, `{}}`, `{},{}`, `[]`, `"{}"`) {
		s.holds(t, asJSON, fmt.Appendf(nil, `{"metadata":{"managedFields":[{"fieldsV1":%s}]}}`, text), likes...)
	}
}

// TestAmountsAsNumbers has the amounts of somebody who wrote no quotes. The API server leaves those of kinds that it does
// not know as they are.
func TestAmountsAsNumbers(t *testing.T) {
	s := newSubject(t, &known{})
	for _, text := range []string{`{"cpu":1}`, `{"cpu":1.5,"memory":"1Gi"}`, `{"cpu":1e3}`, `{"cpu":-0}`, `{"cpu":12345678901234567890}`} {
		data := fmt.Appendf(nil, `{"amounts":%s,"lots":%[1]s}`, text)
		if !s.holds(t, asJSON, data, &known{Amounts: corev1.ResourceList{"cpu": resource.MustParse("1")}}) {
			t.Errorf("refused: %s", data)
		}
	}
}

// TestDeep nests values as deep as others read them, and deeper.
func TestDeep(t *testing.T) {
	for _, depth := range []int{1, 20, 40, 50, 95, 99, 100, 101, 102, 200, 9_990, 10_001, 20_000} {
		for _, tt := range []struct {
			example          any
			open, end, inner string
		}{
			{&nested{}, `{"next":`, `}`, `{"outer":"x"}`},
			{&listed{}, `{"kids":[`, `]}`, `{"name":"x"}`},
			{&nested{}, `{"tree":{"a":`, `}}`, `{"outer":"x"}`},
			{&unstructured.Unstructured{}, `{"a":[`, `]}`, `{}`},
			{&nested{}, `{"unknown":[`, `]}`, `{}`},
		} {
			text := strings.Repeat(tt.open, depth) + tt.inner + strings.Repeat(tt.end, depth)
			accepted := newSubject(t, tt.example).holdsAgainst(t, asJSON, []byte(text), nil)
			if depth <= 20 && !accepted {
				t.Errorf("%s is refused, %d deep", tt.open, depth)
			}
		}
		raw := strings.Repeat("[", depth) + strings.Repeat("]", depth)
		newSubject(t, &known{}).holdsAgainst(t, asJSON, []byte(`{"raw":`+raw+`,"extension":`+raw+`}`), nil)
	}
}

// TestZeros holds zeros against those with another sign.
func TestZeros(t *testing.T) {
	free, typed := newSubject(t, &unstructured.Unstructured{}), newSubject(t, &scalars{})
	for _, zero := range []string{"0", "-0", "0.0", "-0.0", "0e0", "-0e0", "1e-400", "-1e-400"} {
		for _, sign := range []float64{1, -1} {
			like := math.Copysign(0, sign)
			free.holds(t, asJSON, []byte(`{"a":`+zero+`,"b":[`+zero+`]}`), &unstructured.Unstructured{Object: map[string]any{"a": like, "b": []any{like}}})
			typed.holds(t, asJSON, []byte(`{"f32":`+zero+`,"f64":`+zero+`,"rates":{"a":`+zero+`}}`),
				&scalars{F32: float32(like), F64: like, Rates: map[string]float64{"a": like}})
		}
	}
}

// TestHeadsOutOfOrder reads heads whose fields come in an order that nobody sends them in.
func TestHeadsOutOfOrder(t *testing.T) {
	field := func(about metav1.ObjectMeta) []byte { return sent(&about) }
	one := field(metav1.ObjectMeta{Name: "a", UID: "b", ResourceVersion: "1"})
	// Two owners control it. Each says so before it says who it is.
	owners := []byte("\x6a\x0b\x30\x01\x22\x01c\x0a\x00\x1a\x00\x2a\x00\x6a\x0b\x30\x01\x22\x01d\x0a\x00\x1a\x00\x2a\x00")
	fields := field(metav1.ObjectMeta{ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "m"}}})
	for name, about := range map[string][]byte{
		"in order":                  append(one[:len(one):len(one)], owners...),
		"managed fields come first": append(fields[:len(fields):len(fields)], append(one, owners...)...),
		"the name comes last":       []byte("\x32\x011\x8a\x01\x00\x0a\x01a"),
		"owners come first":         append(owners[:len(owners):len(owners)], one...),
	} {
		t.Run(name, func(t *testing.T) {
			headOfProto(t, append([]byte{0x0a, byte(len(about))}, about...))
		})
	}
}

// TestAppendStaysApart looks for lists that are shared with room behind their end: who appends to one of them would
// write to the other.
func TestAppendStaysApart(t *testing.T) {
	for _, example := range []any{&corev1.Pod{}, &corev1.Node{}, &collections{}, &pointers{}, &known{}} {
		s := newSubject(t, example)
		obj := random(rand.New(rand.NewPCG(5, 5)), s.typ, anything...)
		like, theirs := duplicate(obj), map[unsafe.Pointer]bool{}
		visit(reflect.ValueOf(like), func(part reflect.Value) (deeper bool) {
			if part.Kind() == reflect.Slice {
				part.Grow(part.Cap() + 1)
			}
			theirs[part.UnsafePointer()] = true
			return true
		})
		for _, f := range []form{asJSON, asProto} {
			data := []byte(encoded(obj))
			if sender, is := obj.(interface{ Marshal() ([]byte, error) }); f.name == asProto.name {
				if !is {
					continue
				}
				data = sent(sender)
			}
			made, _, _ := f.decode(s, data, like)
			shared := 0
			visit(reflect.ValueOf(made), func(part reflect.Value) (deeper bool) {
				if !theirs[part.UnsafePointer()] {
					return true
				}
				if shared++; part.Kind() == reflect.Slice && part.Cap() > part.Len() {
					t.Errorf("%v in %s: %v is shared, with room behind its end", s.typ, f.name, part)
				}
				return false // what is behind it is one thing
			})
			if shared == 0 {
				t.Errorf("%v in %s: nothing is shared", s.typ, f.name)
			}
		}
	}
}

// TestAppendStaysApartWithoutAType has a list that somebody else has decoded.
func TestAppendStaysApartWithoutAType(t *testing.T) {
	typ, err := decode.TypeOf(&unstructured.Unstructured{})
	must(t, err)
	list := append(make([]any, 0, 8), int64(1), int64(2), int64(3))
	like := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Site", "metadata": map[string]any{"resourceVersion": "1"}, "spec": map[string]any{"lists": []any{list}},
	}}
	for _, version := range []string{"1", "2"} { // all is equal, and not all
		made, _, ok := typ.NewDecoder().JSON([]byte(`{"apiVersion":"v1","kind":"Site","metadata":{"resourceVersion":"`+version+`"},"spec":{"lists":[[1,2,3]]}}`), like)
		if !ok {
			t.Fatal("it is not decoded")
		}
		got := made.(*unstructured.Unstructured).Object["spec"].(map[string]any)["lists"].([]any)[0].([]any)
		if &got[0] != &list[0] || cap(got) > len(got) {
			t.Errorf("the list is shared: %v, with room for %d behind its end", &got[0] == &list[0], cap(got)-len(got))
		}
	}
}

// visit goes to the pointers and lists of an object. The lists within a field set are the business of its methods.
func visit(v reflect.Value, found func(part reflect.Value) (deeper bool)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && found(v) {
			visit(v.Elem(), found)
		}
	case reflect.Slice:
		if !v.IsNil() && found(v) {
			for i := range v.Len() {
				visit(v.Index(i), found)
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && v.Type() != reflect.TypeFor[metav1.FieldsV1]() {
				visit(v.Field(i), found)
			}
		}
	default:
	}
}

// TestOwners reads the owner that controls an object, wherever it stands and whatever is said of others.
func TestOwners(t *testing.T) {
	yes, no := true, false
	owner := func(uid types.UID, controls *bool) metav1.OwnerReference {
		return metav1.OwnerReference{APIVersion: "v1", Kind: "Thing", Name: "of-" + string(uid), UID: uid, Controller: controls}
	}
	for _, owners := range [][]metav1.OwnerReference{
		nil, {owner("a", nil)}, {owner("a", &no)}, {owner("a", &yes)}, {owner("a", &no), owner("b", &yes)},
		{owner("a", nil), owner("b", &no), owner("c", &yes)}, {owner("a", &yes), owner("b", &yes)}, {owner("a", &yes), owner("b", &no)},
	} {
		obj := &metav1.PartialObjectMetadata{
			TypeMeta:   metav1.TypeMeta{Kind: "Thing", APIVersion: "example.com/v1"},
			ObjectMeta: metav1.ObjectMeta{Name: "name", Namespace: "space", UID: "uid", ResourceVersion: "17", OwnerReferences: owners},
		}
		data := []byte(encoded(obj))
		headOfJSON(t, data, true)
		headOfProto(t, sent(obj))
		head, ok := decode.ReadHead(data, true)
		if !ok || string(head.Kind) != "Thing" || string(head.APIVersion) != "example.com/v1" {
			t.Errorf("the head is %q, %q, %t: %s", head.Kind, head.APIVersion, ok, data)
		}
		if _, ok := newSubject(t, obj).codec.ReadProtoHead(sent(obj)); !ok {
			t.Errorf("there is no head in %q", sent(obj))
		}
	}
}

// TestIs compares heads with what is known of an object.
func TestIs(t *testing.T) {
	head, ok := decode.ReadHead([]byte(`{"metadata":{"name":"a","uid":"b","resourceVersion":"1"}}`), false)
	none, also := decode.ReadHead([]byte(`{"metadata":{"name":"a","uid":"b"}}`), false)
	if !ok || !also || !head.Is("b", "1") || head.Is("b", "2") || head.Is("c", "1") || head.Is("", "1") || head.Is("b", "") || none.Is("b", "") {
		t.Errorf("%+v or %+v is something else", head, none)
	}
}

// TestQuantitiesThatAreAsked asks a published quantity while another one is decoded against it, and asked in its turn. An
// answer may write into the quantity: its text, or another form of its number. So no two objects have one quantity. The race
// detector judges the rest.
func TestQuantitiesThatAreAsked(t *testing.T) {
	s := newSubject(t, &known{})
	for _, text := range []string{"1Gi", "100m", "0", "512Mi", "1000m", "2000", "0.5"} {
		read := func(like any) *known {
			obj, _, ok := s.decoder.JSON([]byte(`{"sizes":["`+text+`"]}`), like)
			if !ok {
				t.Fatalf("%s is refused", text)
			}
			return obj.(*known)
		}
		var handlers sync.WaitGroup
		ask := func(of *known) {
			handlers.Go(func() { _, _ = of.Sizes[0].String(), of.Sizes[0].AsFloat64Slow() })
		}
		published := read(nil)
		ask(published)
		next := read(published)
		ask(next)
		handlers.Wait()
		if next.Sizes[0] == published.Sizes[0] {
			t.Errorf("%s is shared", text)
		}
	}
}

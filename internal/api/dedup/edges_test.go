package dedup_test

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/delta-runtime/delta-runtime/internal/api/dedup"
)

// thing has what types of the Kubernetes API don't have, or rarely.
type thing struct {
	Name     string
	Small    int8 // a gap follows
	Large    int64
	Rate     float64
	When     *time.Time
	Size     *resource.Quantity
	Sizes    map[string]resource.Quantity
	Next     *thing
	Pairs    [2]*string
	Secret   *secret
	Bytes    []byte
	Any      any
	Call     func()
	Channels []chan int
	Words    map[string][]string
	Sets     map[string]struct{}
	Rates    map[string]float64
	ByRate   map[float64]string
	Deep     map[string]*[]measure
	Mixed    map[string]fmt.Stringer
	Sealed   *sealed
	Counts   map[string]*count
}

// measure and count are within themselves.
type measure struct {
	Value float64
	More  *measure
}

type count struct {
	Value int
	More  *count
}

// sealed has a number that is nobody else's business.
type sealed struct{ hidden float64 }

// secret has a field that is nobody else's business.
type secret struct {
	Open   string
	hidden any //nolint:unused // being there is all
}

// rate is a number in an interface.
type rate float64

func (r rate) String() string { return fmt.Sprint(float64(r)) }

func TestEqualIsWhatNobodyCanTellApart(t *testing.T) {
	utc := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	elsewhere := utc.In(time.FixedZone("", 3600))
	one, same, other := "one", string([]byte("one")), "other"
	long, short := resource.MustParse("1000m"), resource.MustParse("1")
	call, channel := func() {}, make(chan int)
	for _, tt := range []struct {
		name   string
		a, b   thing
		shared func(a *thing) any // the part that is shared if it is equal
		want   bool
	}{
		{"times", thing{When: new(utc)}, thing{When: new(utc)}, func(a *thing) any { return a.When }, true},
		{"times in two locations", thing{When: &utc}, thing{When: &elsewhere}, func(a *thing) any { return a.When }, false},
		{"quantities that write their texts when they are asked", thing{Size: new(long)}, thing{Size: new(long)}, func(a *thing) any { return a.Size }, false},
		{"quantities that have their texts", thing{Size: new(short)}, thing{Size: new(short)}, func(a *thing) any { return a.Size }, false},
		{"quantities in a map", thing{Sizes: map[string]resource.Quantity{"a": long}}, thing{Sizes: map[string]resource.Quantity{"a": long}}, func(a *thing) any { return a.Sizes }, true},
		{"two ways to write a quantity", thing{Sizes: map[string]resource.Quantity{"a": long}}, thing{Sizes: map[string]resource.Quantity{"a": short}}, func(a *thing) any { return a.Sizes }, false},
		{"zeros with two signs", thing{Next: &thing{Rate: 0}}, thing{Next: &thing{Rate: math.Copysign(0, -1)}}, func(a *thing) any { return a.Next }, false},
		{"bytes", thing{Bytes: []byte("x")}, thing{Bytes: []byte("x")}, func(a *thing) any { return a.Bytes }, true},
		{"a prefix", thing{Bytes: []byte("x")}, thing{Bytes: []byte("xy")}, func(a *thing) any { return a.Bytes }, false},
		{"nil and empty", thing{Bytes: []byte{}}, thing{}, func(a *thing) any { return a.Bytes }, false},
		{"array", thing{Pairs: [2]*string{&one, &other}}, thing{Pairs: [2]*string{&same, &one}}, func(a *thing) any { return a.Pairs[0] }, true},
		{"what is hidden", thing{Secret: &secret{Open: "x"}}, thing{Secret: &secret{Open: "x"}}, func(a *thing) any { return a.Secret }, false},
		{"functions", thing{Next: &thing{Call: call}}, thing{Next: &thing{Call: call}}, func(a *thing) any { return a.Next }, false},
		{"channels", thing{Channels: []chan int{channel}}, thing{Channels: []chan int{channel}}, func(a *thing) any { return a.Channels }, false},
		{"no channels", thing{Channels: []chan int{nil}}, thing{Channels: []chan int{nil}}, func(a *thing) any { return a.Channels }, true},
		{"a type within itself", thing{Next: &thing{Next: &thing{}}}, thing{Next: &thing{Next: &thing{}}}, func(a *thing) any { return a.Next }, true},
		{"slices in a map", thing{Words: map[string][]string{"a": {"x"}}}, thing{Words: map[string][]string{"a": {"x"}}}, func(a *thing) any { return a.Words }, true},
		{"a set", thing{Sets: map[string]struct{}{"a": {}}}, thing{Sets: map[string]struct{}{"a": {}}}, func(a *thing) any { return a.Sets }, true},
		{"rates", thing{Rates: map[string]float64{"a": 0}}, thing{Rates: map[string]float64{"a": math.Copysign(0, -1)}}, func(a *thing) any { return a.Rates }, false},
		{"by rate", thing{ByRate: map[float64]string{0: "a"}}, thing{ByRate: map[float64]string{math.Copysign(0, -1): "a"}}, func(a *thing) any { return a.ByRate }, false},
		{"rates further down", thing{Deep: map[string]*[]measure{"a": {{Value: 0}}}}, thing{Deep: map[string]*[]measure{"a": {{Value: math.Copysign(0, -1)}}}}, func(a *thing) any { return a.Deep }, false},
		{"what may be a rate", thing{Mixed: map[string]fmt.Stringer{"a": rate(0)}}, thing{Mixed: map[string]fmt.Stringer{"a": rate(math.Copysign(0, -1))}}, func(a *thing) any { return a.Mixed }, false},
		{"a hidden rate", thing{Sealed: &sealed{0}}, thing{Sealed: &sealed{math.Copysign(0, -1)}}, func(a *thing) any { return a.Sealed }, false},
		{"counts", thing{Counts: map[string]*count{"a": {1, &count{}}}}, thing{Counts: map[string]*count{"a": {1, &count{}}}}, func(a *thing) any { return a.Counts }, true},
		{"JSON", thing{Any: map[string]any{"a": []any{"x", 1.5, true, int64(1), nil}}}, thing{Any: map[string]any{"a": []any{"x", 1.5, true, int64(1), nil}}}, func(a *thing) any { return a.Any }, true},
		{"what is not JSON", thing{Any: map[string]any{"a": &one}}, thing{Any: map[string]any{"a": &one}}, func(a *thing) any { return a.Any }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			was, likeWas := tt.a, tt.b
			dedup.Against(&tt.a, &tt.b)
			if got := reflect.ValueOf(tt.shared(&tt.a)).Pointer() == reflect.ValueOf(tt.shared(&tt.b)).Pointer(); got != tt.want {
				t.Errorf("shared is %t, want %t", got, tt.want)
			}
			tt.a.Call, was.Call = nil, nil
			if tt.a.Next == nil && !reflect.DeepEqual(tt.a, was) || !reflect.DeepEqual(tt.b, likeWas) && tt.b.Next == nil {
				t.Errorf("the objects became\n%+v and\n%+v", tt.a, tt.b)
			}
		})
	}
}

func TestWhatCannotBeShared(t *testing.T) {
	one := &thing{Name: "one"}
	for name, pair := range map[string][2]any{
		"nothing":            {nil, nil},
		"nothing to be like": {one, nil},
		"nil":                {(*thing)(nil), one},
		"two types":          {one, &secret{}},
		"no pointers":        {*one, *one},
		"itself":             {one, one},
	} {
		t.Run(name, func(t *testing.T) {
			dedup.Against(pair[0], pair[1])
			if !reflect.DeepEqual(one, &thing{Name: "one"}) {
				t.Errorf("it became %v", one)
			}
		})
	}
}

// TestAppendStaysApart appends to what is shared, as nobody should.
func TestAppendStaysApart(t *testing.T) {
	like := &thing{Bytes: append(make([]byte, 0, 8), 'x')}
	obj := &thing{Bytes: []byte("x")}
	dedup.Against(obj, like)
	if &obj.Bytes[0] != &like.Bytes[0] {
		t.Fatal("equal bytes are not shared")
	}
	_, _ = append(like.Bytes, 'y'), append(obj.Bytes, 'z')
	if got := like.Bytes[:2][1]; got != 'y' {
		t.Errorf("behind the end of one is what was appended to the other: %c", got)
	}
}

func TestCycles(t *testing.T) {
	a, b := &thing{Name: "a"}, &thing{Name: "a"}
	a.Next, b.Next = a, b
	dedup.Against(a, b)
	if a.Next != a || b.Next != b {
		t.Error("a cycle was broken")
	}
}

// TestWithinMaps has parts to share within maps and lists that are not equal.
func TestWithinMaps(t *testing.T) {
	decode := func(text string) *unstructured.Unstructured {
		u := &unstructured.Unstructured{}
		if err := json.Unmarshal([]byte(text), &u.Object); err != nil {
			t.Fatal(err)
		}
		return u
	}
	const text = `{"a":{"b":["same",{"c":"same"},{"d":"same","e":1}],"f":{"g":["same"]}},"h":"same"}`
	obj, like := decode(text), decode(`{"a":{"b":["same",{"c":"same"},{"d":"same","e":2}],"f":{"g":["same"]},"x":1},"h":"same"}`)
	before := addresses(reflect.ValueOf(like), nil)
	dedup.Against(obj, like)
	if !slices.Equal(addresses(reflect.ValueOf(like), nil), before) {
		t.Errorf("what it was to be like has changed to %v", like.Object)
	}
	if !reflect.DeepEqual(obj, decode(text)) {
		t.Fatalf("it became %v", obj.Object)
	}
	at := func(u *unstructured.Unstructured, names ...any) any {
		var here any = u.Object
		for _, name := range names {
			switch name := name.(type) {
			case string:
				here = here.(map[string]any)[name]
			case int:
				here = here.([]any)[name]
			}
		}
		return here
	}
	for _, names := range [][]any{{"a", "b", 0}, {"a", "b", 1}, {"a", "b", 2, "d"}, {"a", "f"}, {"h"}} {
		if !slices.Equal(addresses(reflect.ValueOf(at(obj, names...)), nil), addresses(reflect.ValueOf(at(like, names...)), nil)) {
			t.Errorf("what is at %v is not shared", names)
		}
	}
}

// FuzzJSON holds decoded JSON against other, and looks whether either became another
// one.
func FuzzJSON(f *testing.F) {
	f.Add(`{"a":{"b":[1,"x",{"c":null}]},"d":-0.0}`, `{"a":{"b":[1,"x",{"c":null}]},"d":0.0}`)
	f.Add(`{"a":[1,2,3],"b":{"c":true}}`, `{"a":[1,2],"b":{"c":true}}`)
	f.Add(`{"a":null}`, `{"a":{}}`)
	f.Fuzz(func(t *testing.T, text, likeText string) {
		decode := func(text string) *unstructured.Unstructured {
			u := &unstructured.Unstructured{}
			if err := json.Unmarshal([]byte(text), &u.Object); err != nil {
				t.Skip("the fuzzer made something that is no JSON object")
			}
			return u
		}
		obj, like := decode(text), decode(likeText)
		likeBefore := addresses(reflect.ValueOf(like), nil)
		dedup.Against(obj, like)
		if !slices.Equal(addresses(reflect.ValueOf(like), nil), likeBefore) {
			t.Errorf("%s, which it was to be like, is not what it was", likeText)
		}
		if want := decode(text); !reflect.DeepEqual(obj, want) {
			t.Errorf("%s became %v", text, obj.Object)
		}
		if want := decode(likeText); !reflect.DeepEqual(like, want) {
			t.Errorf("%s, which it was to be like, became %v", likeText, like.Object)
		}
		if text == likeText && reflect.ValueOf(obj.Object).Pointer() != reflect.ValueOf(like.Object).Pointer() {
			t.Errorf("%s is not shared with itself", text)
		}
	})
}

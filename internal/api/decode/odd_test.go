package decode_test

import (
	"encoding/json"
	"math"
	"net/netip"
	"reflect"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/randfill"

	"github.com/delta-runtime/delta-runtime/internal/api/decode"
)

// anything fills what only the odd types have.
var anything = []any{
	func(v *any, c randfill.Continue) { *v = anyJSON(c, 3) },
	func(v *json.RawMessage, c randfill.Continue) { *v, _ = json.Marshal(anyJSON(c, 3)) },
	func(v *nested, c randfill.Continue) { // or it would have no end
		c.FillNoCustom(&v.object)
		c.Fill(&v.Outer)
		c.Fill(&v.Hidden)
		c.Fill(&v.Inside)
		c.Fill(&v.Spec)
		if c.Intn(3) == 0 {
			c.Fill(&v.Next)
			c.Fill(&v.Tree)
		}
		for range c.Intn(4) / 3 {
			c.Fill(&v.More)
		}
	},
	func(v *[]listed, c randfill.Continue) {
		if c.Intn(4) == 0 {
			c.FillNoCustom(v)
		}
	},
	func(v *[][]listed, c randfill.Continue) {
		if c.Intn(2) == 0 {
			c.FillNoCustom(v)
		}
	},
	func(v *[]short, c randfill.Continue) {
		if c.Intn(4) == 0 {
			c.FillNoCustom(v)
		}
	},
	func(v *small, c randfill.Continue) { *v = small(c.Intn(100)) },
	func(v *unstructured.Unstructured, c randfill.Continue) {
		v.Object = map[string]any{"kind": "Thing", "apiVersion": "example.com/v1", "spec": anyJSON(c, 3)}
	},
}

// anyJSON makes what decoded JSON consists of.
func anyJSON(c randfill.Continue, depth int) any {
	switch n := c.Intn(8); {
	case n == 0 && depth > 0:
		values := make([]any, c.Intn(4))
		for i := range values {
			values[i] = anyJSON(c, depth-1)
		}
		return values
	case n <= 2 && depth > 0:
		object := map[string]any{}
		for range c.Intn(4) {
			object[c.String(5)] = anyJSON(c, depth-1)
		}
		return object
	case n == 3:
		return c.Int63() - c.Int63()
	case n == 4:
		return []any{nil, true, false, 1.5, 1e300, math.Copysign(0, -1), 0.0, int64(0), 12345678901234567890.0}[c.Intn(9)]
	}
	return c.String(0)
}

type (
	quoted struct {
		Number int `json:"number,string"`
	}
	arrayed   struct{ Pair [2]string }
	addressed struct{ Address netip.Addr }
	numbered  struct{ ByNumber map[int]string }
	texted    struct{ ByAddress map[netip.Addr]string }
	closed    struct{ Object runtime.Object }
	late      struct{ Number json.Number }
	embedding struct{ *metav1.TypeMeta }
	spelled   struct {
		Name string `json:"na me"`
	}
	accented struct {
		Name string `json:"größe"`
	}
	twice struct {
		twiceA
		twiceB
	}
	twiceA     struct{ Name string }
	twiceB     struct{ Name string }
	upsideDown struct {
		twiceA
		Name string
	}
	complexed struct{ Number complex128 }
	called    struct{ Call func() }
	octet     uint8
	octetted  struct{ Bytes []octet }
	unnamed   struct{ Time struct{ metav1.Time } }
	buried    struct {
		Kids []map[string]*struct{ Deep []*quoted }
	}
	sealed struct {
		twiceA `json:"name"`
	}
)

func TestWhatIsLeftToOthers(t *testing.T) {
	for _, tt := range []struct {
		example any
		reason  string
	}{
		{nil, "<nil> is not a pointer to a struct"},
		{metav1.Status{}, "v1.Status is not a pointer to a struct"},
		{new(map[string]string), "*map[string]string is not a pointer to a struct"},
		{&metav1.Time{}, "decode v1.Time: it decodes itself"},
		{&quoted{}, "decode decode_test.quoted: decode_test.quoted.Number is quoted once more"},
		{&arrayed{}, "decode decode_test.arrayed: Pair: [2]string is of a kind that is not known here"},
		{&addressed{}, "decode decode_test.addressed: Address: netip.Addr reads itself from text"},
		{&numbered{}, "decode decode_test.numbered: ByNumber: map[int]string has other keys than strings"},
		{&texted{}, "decode decode_test.texted: ByAddress: map[netip.Addr]string has other keys than strings"},
		{&closed{}, "decode decode_test.closed: Object: runtime.Object does not say what to make"},
		{&late{}, "decode decode_test.late: Number: json.Number is a number that is kept as text"},
		{&embedding{}, "decode decode_test.embedding: decode_test.embedding embeds *v1.TypeMeta"},
		{&spelled{}, `decode decode_test.spelled: decode_test.spelled.Name has the odd name "na me"`},
		{&accented{}, `decode decode_test.accented: decode_test.accented.Name has the odd name "größe"`},
		{&twice{}, `decode decode_test.twice: decode_test.twiceB has the name "Name" twice`},
		{&upsideDown{}, `decode decode_test.upsideDown: decode_test.upsideDown has the name "Name" twice`},
		{&complexed{}, "decode decode_test.complexed: Number: complex128 is of a kind that is not known here"},
		{&called{}, "decode decode_test.called: Call: func() is of a kind that is not known here"},
		{&octetted{}, "decode decode_test.octetted: Bytes: []decode_test.octet has bytes of a type of their own"},
		{&unnamed{}, "decode decode_test.unnamed: Time: struct { v1.Time } decodes itself, but has no name"},
		{&buried{}, "decode decode_test.buried: Kids: Deep: decode_test.quoted.Number is quoted once more"},
		{&sealed{}, "decode decode_test.sealed: decode_test.sealed embeds decode_test.twiceA under a name"},
	} {
		for range 2 { // the second time it is known
			if _, err := decode.TypeOf(tt.example); err == nil || err.Error() != tt.reason {
				t.Errorf("%T: refused for %v, want %q", tt.example, err, tt.reason)
			}
		}
	}
}

// TestManyFields has one field more than can be told apart.
func TestManyFields(t *testing.T) {
	var fields []reflect.StructField
	for i := range 129 {
		name := "F" + strings.Repeat("x", i)
		fields = append(fields, reflect.StructField{Name: name, Type: reflect.TypeFor[int]()})
	}
	if _, err := decode.TypeOf(reflect.New(reflect.StructOf(fields)).Interface()); err == nil || !strings.Contains(err.Error(), "has more than 128 fields") {
		t.Errorf("129 fields are refused for %v", err)
	}
	s := newSubject(t, reflect.New(reflect.StructOf(fields[:128])).Interface())
	obj := reflect.New(s.typ)
	for i := range 128 {
		obj.Elem().Field(i).SetInt(math.MaxInt64 - int64(i))
	}
	text, err := json.Marshal(obj.Interface())
	must(t, err)
	if !s.holds(t, asJSON, text) {
		t.Errorf("128 fields are refused")
	}
	last := `,"F` + strings.Repeat("x", 127) + `":1}`
	if s.holds(t, asJSON, append(text[:len(text)-1], last...)) {
		t.Errorf("the last of 128 fields comes twice")
	}
}

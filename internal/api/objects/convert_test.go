package objects

import (
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// fill gives each field below v a value that is not its zero value, and no other field's
// either where the type has room for that.
func fill(t *testing.T, v reflect.Value, next *int64) {
	t.Helper()
	*next++
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(time.Unix(*next, 0)))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(*next)
	case reflect.Uint8, reflect.Uint32:
		v.SetUint(uint64(*next)) //nolint:gosec // not negative
	case reflect.String:
		v.SetString(strconv.FormatInt(*next, 10))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem(), next)
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(t, field, next)
		}
	default:
		t.Fatalf("a Delta has a field of type %s: have fill set it", v.Type())
	}
}

// Every field of a delta is converted, also one that the type gets later.
func TestConvertLosesNoField(t *testing.T) {
	var from delta.Delta[string]
	next := int64(0)
	fill(t, reflect.ValueOf(&from).Elem(), &next)
	got, ok := Convert(&from, func(s string) (int, bool) {
		n, err := strconv.Atoi(s)
		return n, err == nil
	})
	if !ok {
		t.Fatal("it reports that an object can't be converted")
	}
	before, after := reflect.ValueOf(from), reflect.ValueOf(got)
	for field, value := range before.Fields() {
		want := value.Interface()
		if s, isObject := want.(string); isObject && (field.Name == "Old" || field.Name == "New") {
			n, err := strconv.Atoi(s)
			if err != nil {
				t.Fatal(err)
			}
			want = n
		}
		if now := after.FieldByName(field.Name).Interface(); value.IsZero() || !reflect.DeepEqual(now, want) {
			t.Errorf("%s was %v, and is %v", field.Name, want, now)
		}
	}
}

func TestConvertReportsWhatItCanNotConvert(t *testing.T) {
	small := func(n int) (int8, bool) { return int8(n), n < 100 } //nolint:gosec // as large as the test has it
	for _, d := range []delta.Delta[int]{{Old: 100}, {New: 100}, {Old: 100, New: 100}} {
		if got, ok := Convert(&d, small); ok || got != (delta.Delta[int8]{}) {
			t.Errorf("%+v became %+v, %t", d, got, ok)
		}
	}
	if got, ok := Convert(&delta.Delta[int]{Old: 1, New: 2}, small); !ok || got.Old != 1 || got.New != 2 {
		t.Errorf("it became %+v, %t", got, ok)
	}
}

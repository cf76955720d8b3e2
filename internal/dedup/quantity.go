package dedup

import (
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"k8s.io/apimachinery/pkg/api/resource"
)

// quantity is how a resource.Quantity stands in memory.
type quantity struct {
	value  int64
	scale  int32
	other  unsafe.Pointer // what does not fit into the two above
	text   string
	format resource.Format
}

// mirrored says that it still does.
var mirrored = func() bool {
	t, mirror := reflect.TypeFor[resource.Quantity](), reflect.TypeFor[quantity]()
	if t.NumField() != 4 || t.Size() != mirror.Size() || t.Field(0).Type.NumField() != 2 || t.Field(1).Type.NumField() != 1 {
		return false
	}
	found := []reflect.StructField{t.Field(0).Type.Field(0), t.Field(0).Type.Field(1), t.Field(1).Type.Field(0), t.Field(2), t.Field(3)}
	found[2].Offset += t.Field(1).Offset
	names := []string{"value", "scale", "Dec", "s", "Format"}
	for i, f := range found {
		wanted := mirror.Field(i).Type.Kind()
		if wanted == reflect.UnsafePointer {
			wanted = reflect.Pointer
		}
		if f.Name != names[i] || f.Type.Kind() != wanted || f.Offset != mirror.Field(i).Offset {
			return false
		}
	}
	return true
}()

// settled are formats whose texts stand in memory of our own. A quantity without a text writes one into itself when
// it is asked for it, at any time and without a lock. One that has a text keeps it. To read the text is the only way
// to see which of them a published quantity is, and that is a race with those who ask. So a quantity that has a text
// gets its format from here before it is published, which changes nothing else.
var settled = func() (formats [3]resource.Format) {
	for i, format := range []resource.Format{resource.DecimalSI, resource.BinarySI, resource.DecimalExponent} {
		formats[i] = resource.Format(strings.Clone(string(format)))
	}
	return formats
}()

// Settle prepares a quantity that nobody else has yet to be compared with others when it is published.
func Settle(q *resource.Quantity) {
	if !mirrored || (*quantity)(unsafe.Pointer(q)).text == "" {
		return
	}
	if i := slices.Index(settled[:], q.Format); i >= 0 {
		q.Format = settled[i]
	}
}

func isSettled(format resource.Format) bool {
	return slices.ContainsFunc(settled[:], func(own resource.Format) bool {
		return unsafe.StringData(string(own)) == unsafe.StringData(string(format))
	})
}

// equalQuantities compares a quantity that nobody has yet with a published one. One that has no text is equal to none:
// two objects that share it could be asked for it at once. Quantities that are copies of what is in maps are compared
// as a whole, because nobody has the address of an entry of a map, to write there.
func equalQuantities(a, b unsafe.Pointer, in scope) bool {
	if in.copied {
		return *(*resource.Quantity)(a) == *(*resource.Quantity)(b)
	}
	x, y := (*quantity)(a), (*quantity)(b)
	return !in.published && mirrored && isSettled(y.format) && x.text == y.text &&
		x.value == y.value && x.scale == y.scale && x.other == y.other && x.format == y.format
}

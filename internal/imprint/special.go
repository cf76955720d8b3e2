package imprint

import (
	"reflect"
	"time"
	"unsafe"

	"k8s.io/apimachinery/pkg/api/resource"
)

// quantity is how a resource.Quantity stands in memory. To make one of its text takes longer than all the rest of
// an object, and does not give each the form that it had.
type quantity struct {
	value  int64
	scale  int32
	other  unsafe.Pointer // what does not fit into the two above
	text   string
	format string
}

// knowsQuantity reports whether it still does.
func knowsQuantity() bool {
	t, mirror := reflect.TypeFor[resource.Quantity](), reflect.TypeFor[quantity]()
	if t.NumField() != 4 || t.Size() != mirror.Size() || t.Field(0).Type.NumField() != 2 || t.Field(1).Type.NumField() != 1 {
		return false
	}
	found := []reflect.StructField{t.Field(0).Type.Field(0), t.Field(0).Type.Field(1), t.Field(1).Type.Field(0), t.Field(2), t.Field(3)}
	found[2].Offset += t.Field(1).Offset
	kinds := []reflect.Kind{reflect.Int64, reflect.Int32, reflect.Pointer, reflect.String, reflect.String}
	names := []string{"value", "scale", "Dec", "s", "Format"}
	for i, f := range found {
		if f.Name != names[i] || f.Type.Kind() != kinds[i] || f.Offset != mirror.Field(i).Offset {
			return false
		}
	}
	return true
}

// The forms of a quantity.
const (
	wholeAmount = iota // value and scale, and behind them text and format
	largeAmount        // scale, sign and the bytes of the value, and the same behind them
)

// maxScale and maxDigits bound what it takes to calculate with a quantity.
const (
	maxScale  = 1000
	maxDigits = 1000
)

// formats are the usual ones of quantities, by what they are written as.
var formats = [...]string{"", string(resource.DecimalSI), string(resource.BinarySI), string(resource.DecimalExponent)}

// The forms of a time.
const (
	noTime     = iota // the zero of the type
	localTime         // seconds
	localNanos        // seconds and nanoseconds
	utcNanos          // the same in UTC
)

// timeOf makes a time as decoders do.
func timeOf(form byte, seconds, nanos int64) time.Time {
	switch form {
	case noTime:
		return time.Time{}
	case utcNanos:
		return time.Unix(seconds, nanos).UTC()
	default:
		return time.Unix(seconds, nanos)
	}
}

// The sorts of values in an any.
const (
	nothing = iota
	isFalse
	isTrue
	anInteger
	aFloat
	aText
	aList
	aMap
)

// maxDepth is how deep values may be nested. Anything deeper may be a cycle.
const maxDepth = 1000

// header is how a slice stands in memory.
type header struct {
	data     unsafe.Pointer
	len, cap int
}

// Each element that a list has and its like has not takes one bit of a record at least. So the record bounds
// how much memory all of them together may take.
const (
	roomForAll  = 64 << 10
	roomForByte = 512
)

package path

import (
	"strconv"

	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// ScalarText is the one text of a scalar. Scalars are compared by it.
func ScalarText(v value.Value) string {
	switch {
	case v.IsString():
		return strconv.Quote(v.AsString())
	case v.IsBool():
		return strconv.FormatBool(v.AsBool())
	case v.IsInt():
		return strconv.FormatInt(v.AsInt(), 10)
	case v.IsFloat():
		return floatText(v.AsFloat())
	case v.IsNull():
		return "null"
	default:
		return value.ToString(v)
	}
}

// floatText writes a number that is whole as an integer, because to JSON it is one.
func floatText(f float64) string {
	if i := int64(f); float64(i) == f {
		return strconv.FormatInt(i, 10)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// AsMap returns a value as a map, or nil if it is none.
func AsMap(v value.Value) value.Map {
	if v == nil || !v.IsMap() {
		return nil
	}
	return v.AsMap()
}

// AsList returns a value as a list, or nil if it is none.
func AsList(v value.Value) value.List {
	if v == nil || !v.IsList() {
		return nil
	}
	return v.AsList()
}

// FieldOf returns what a map has under a name, nil if there is nothing.
func FieldOf(m value.Map, name string) value.Value {
	if m == nil {
		return nil
	}
	v, ok := m.Get(name)
	if !ok {
		return nil
	}
	return v
}

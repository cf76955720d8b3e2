package diff

import (
	"strconv"

	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
)

// holds reports whether there is, or may be, something in v where the steps lead. Nothing
// is known of what is below a hidden value.
func holds(v value.Value, steps []path.Step) bool {
	switch {
	case len(steps) == 0:
		return true
	case v.IsMap():
		return mapHolds(v.AsMap(), steps)
	case v.IsList():
		return listHolds(v.AsList(), steps)
	default:
		return v.IsString() && v.AsString() == hidden
	}
}

func mapHolds(m value.Map, steps []path.Step) bool {
	switch steps[0].Kind {
	case path.Named:
		return fieldHolds(m, steps)
	case path.Every:
		return !m.Iterate(func(_ string, v value.Value) bool { return !holds(v, steps[1:]) })
	default:
		return true
	}
}

// fieldHolds looks for a field, and for a key with dots that the first steps spell.
func fieldHolds(m value.Map, steps []path.Step) bool {
	key := steps[0].Name
	if v := path.FieldOf(m, key); v != nil && holds(v, steps[1:]) {
		return true
	}
	for i := 1; i < len(steps) && steps[i].Kind == path.Named && !steps[i].Entry && !steps[0].Entry; i++ {
		key += "." + steps[i].Name
		if v := path.FieldOf(m, key); v != nil && holds(v, steps[i+1:]) {
			return true
		}
	}
	return false
}

func listHolds(list value.List, steps []path.Step) bool {
	first := &steps[0]
	if first.Kind == path.Place {
		return first.Index < list.Length() && holds(list.At(first.Index), steps[1:])
	}
	for i := range list.Length() {
		if v := list.At(i); mayBe(v, first) && holds(v, steps[1:]) {
			return true
		}
	}
	return false
}

// mayBe reports whether a step into a list may lead to this element.
func mayBe(v value.Value, s *path.Step) bool {
	scalar := !v.IsMap() && !v.IsList()
	switch {
	case s.Kind == path.Member && scalar:
		return path.ScalarText(v) == s.Name
	case s.Kind == path.Named && scalar:
		return path.ScalarText(v) == strconv.Quote(s.Name)
	case s.Kind == path.Element && v.IsMap():
		m := v.AsMap()
		for _, key := range s.Keys {
			if field, ok := m.Get(key.Name); ok && path.ScalarText(field) != key.Value {
				return false
			}
		}
	}
	return true
}

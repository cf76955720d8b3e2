package delta

import (
	"strconv"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// touches reports whether p is q, above it or below it. Where that can't be told,
// because they name elements in different ways, it says yes.
func (p Path) touches(q Path) bool {
	_, ok := p.leadsTo(q)
	return ok
}

// leadsTo is touches, and returns the steps of q that go on below p.
func (p Path) leadsTo(q Path) (below []step, ok bool) {
	a, b := p.steps, q.steps
	for len(a) > 0 && len(b) > 0 {
		n, m := 1, 1
		if !a[0].meets(&b[0]) {
			if n, m = spells(a, &b[0]), spells(b, &a[0]); n+m == 0 {
				return nil, false
			}
			n, m = max(1, n), max(1, m)
		}
		a, b = a[n:], b[m:]
	}
	return b, true
}

// spells returns how many of the steps spell a key that has dots in it, zero if they do
// not. Who writes data.config.yaml may mean data["config.yaml"].
func spells(steps []step, key *step) int {
	if key.kind != named || !strings.Contains(key.name, ".") {
		return 0
	}
	rest := key.name
	for i := range steps {
		if steps[i].kind != named || steps[i].entry {
			return 0
		}
		var ok bool
		if rest, ok = strings.CutPrefix(rest, steps[i].name); !ok {
			return 0
		}
		if rest == "" {
			return i + 1
		}
		if rest, ok = strings.CutPrefix(rest, "."); !ok {
			return 0
		}
	}
	return 0
}

// meets reports whether two steps from the same place may lead to the same.
func (s *step) meets(t *step) bool {
	if s.kind == t.kind {
		switch s.kind {
		case named, member:
			return s.name == t.name
		case place:
			return s.index == t.index
		case element:
			return keysMeet(s.keys, t.keys)
		default:
			return true
		}
	}
	if s.kind == member && t.kind == named {
		s, t = t, s
	}
	if s.kind == named && t.kind == member {
		return strconv.Quote(s.name) == t.name
	}
	return true
}

// keysMeet reports whether one element could have both keys. A field that only one
// of them names rules nothing out: it may have a default.
func keysMeet(a, b []keyField) bool {
	for _, x := range a {
		for _, y := range b {
			if x.name == y.name && x.value != y.value {
				return false
			}
		}
	}
	return true
}

// holds reports whether there is, or may be, something in v where the steps lead. What
// is below a value that is hidden is not known.
func holds(v value.Value, steps []step) bool {
	switch {
	case len(steps) == 0:
		return true
	case v.IsMap():
		return mapHolds(v.AsMap(), steps)
	case v.IsList():
		return listHolds(v.AsList(), steps)
	default:
		return v.IsString() && v.AsString() == Hidden
	}
}

func mapHolds(m value.Map, steps []step) bool {
	switch steps[0].kind {
	case named:
		return fieldHolds(m, steps)
	case every:
		return !m.Iterate(func(_ string, v value.Value) bool { return !holds(v, steps[1:]) })
	default:
		return true
	}
}

// fieldHolds looks for a field, and for a key with dots that the first steps spell.
func fieldHolds(m value.Map, steps []step) bool {
	key := steps[0].name
	if v := fieldOf(m, key); v != nil && holds(v, steps[1:]) {
		return true
	}
	for i := 1; i < len(steps) && steps[i].kind == named && !steps[i].entry && !steps[0].entry; i++ {
		key += "." + steps[i].name
		if v := fieldOf(m, key); v != nil && holds(v, steps[i+1:]) {
			return true
		}
	}
	return false
}

func listHolds(list value.List, steps []step) bool {
	first := &steps[0]
	if first.kind == place {
		return first.index < list.Length() && holds(list.At(first.index), steps[1:])
	}
	for i := range list.Length() {
		if v := list.At(i); mayBe(v, first) && holds(v, steps[1:]) {
			return true
		}
	}
	return false
}

// mayBe reports whether a step into a list may lead to this element.
func mayBe(v value.Value, s *step) bool {
	scalar := !v.IsMap() && !v.IsList()
	switch {
	case s.kind == member && scalar:
		return scalarText(v) == s.name
	case s.kind == named && scalar:
		return scalarText(v) == strconv.Quote(s.name)
	case s.kind == element && v.IsMap():
		m := v.AsMap()
		for _, key := range s.keys {
			if field, ok := m.Get(key.name); ok && scalarText(field) != key.value {
				return false
			}
		}
	}
	return true
}

// scalarText is the one text of a scalar, by which it is compared.
func scalarText(v value.Value) string {
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

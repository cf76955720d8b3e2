package path

import (
	"strconv"
	"strings"
)

// Touches reports whether p is q, above it or below it. Where that can't be told,
// because they name elements in different ways, it says yes.
func (p Path) Touches(q Path) bool {
	_, ok := p.LeadsTo(q)
	return ok
}

// LeadsTo is touches, and returns the steps of q that go on below p.
func (p Path) LeadsTo(q Path) (below []Step, ok bool) {
	a, b := p.Steps, q.Steps
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
// not. Someone who writes data.config.yaml may mean data["config.yaml"].
func spells(steps []Step, key *Step) int {
	if key.Kind != Named || !strings.Contains(key.Name, ".") {
		return 0
	}
	rest := key.Name
	for i := range steps {
		if steps[i].Kind != Named || steps[i].Entry {
			return 0
		}
		var ok bool
		if rest, ok = strings.CutPrefix(rest, steps[i].Name); !ok {
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
func (s *Step) meets(t *Step) bool {
	if s.Kind == t.Kind {
		switch s.Kind {
		case Named, Member:
			return s.Name == t.Name
		case Place:
			return s.Index == t.Index
		case Element:
			return keysMeet(s.Keys, t.Keys)
		default:
			return true
		}
	}
	if s.Kind == Member && t.Kind == Named {
		s, t = t, s
	}
	if s.Kind == Named && t.Kind == Member {
		return strconv.Quote(s.Name) == t.Name
	}
	return true
}

// keysMeet reports whether one element could have both keys. A field that only one
// of them names rules nothing out: it may have a default.
func keysMeet(a, b []KeyField) bool {
	for _, x := range a {
		for _, y := range b {
			if x.Name == y.Name && x.Value != y.Value {
				return false
			}
		}
	}
	return true
}

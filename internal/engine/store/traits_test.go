package store

import "testing"

type stamped struct{ version, uid string }

func TestSameState(t *testing.T) {
	all := Traits[stamped]{
		Version: func(c stamped) string { return c.version },
		UID:     func(c stamped) string { return c.uid },
	}
	for _, tt := range []struct {
		name string
		a, b stamped
		want bool
	}{
		{"same", stamped{"1", "u"}, stamped{"1", "u"}, true},
		{"changed", stamped{"1", "u"}, stamped{"2", "u"}, false},
		{"recreated at the same version", stamped{"1", "u"}, stamped{"1", "v"}, false},
		{"no version tells nothing", stamped{"", "u"}, stamped{"", "u"}, false},
	} {
		if got := all.SameState(tt.a, tt.b); got != tt.want {
			t.Errorf("%s: SameState = %v, want %v", tt.name, got, tt.want)
		}
	}
}

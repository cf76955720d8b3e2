package traits

import "testing"

type cell struct{ version, uid string }

func TestSameState(t *testing.T) {
	all := Of[cell]{
		Version: func(c cell) string { return c.version },
		UID:     func(c cell) string { return c.uid },
	}
	for _, tt := range []struct {
		name string
		a, b cell
		want bool
	}{
		{"same", cell{"1", "u"}, cell{"1", "u"}, true},
		{"changed", cell{"1", "u"}, cell{"2", "u"}, false},
		{"recreated at the same version", cell{"1", "u"}, cell{"1", "v"}, false},
		{"no version tells nothing", cell{"", "u"}, cell{"", "u"}, false},
	} {
		if got := all.SameState(tt.a, tt.b); got != tt.want {
			t.Errorf("%s: SameState = %v, want %v", tt.name, got, tt.want)
		}
	}
}

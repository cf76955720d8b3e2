package reflector

import (
	"testing"
)

func TestPositionAsksFor(t *testing.T) {
	for _, tt := range []struct {
		at           position
		list, stream string
		exact        bool
	}{
		{position{}, "0", "", false},
		{position{version: "0"}, "0", "0", false},
		{position{version: "7"}, "7", "7", true},
		{position{version: "7", gone: true}, "", "", true},
		{position{gone: true}, "", "", false},
	} {
		if tt.at.listFrom() != tt.list || tt.at.streamFrom() != tt.stream || tt.at.exact() != tt.exact {
			t.Errorf("%+v lists from %q and streams from %q, exact %v; want %q, %q, %v",
				tt.at, tt.at.listFrom(), tt.at.streamFrom(), tt.at.exact(), tt.list, tt.stream, tt.exact)
		}
	}
}

package memory

import (
	"maps"
	"testing"
)

// TestASaveInTheMiddleOfARead sees that a kind is not saved before its past was read to the end: it would be its own past.
func TestASaveInTheMiddleOfARead(t *testing.T) {
	at := newPlace(t)
	at.start(t, three()).finish()
	p := at.start(t, map[string]string{"z": "9"})
	calls := 0
	at.asked = func() {
		at.asked = nil
		calls++
		p.save()
	}
	if got := p.read(); !maps.Equal(got, three()) || calls != 1 || p.encoded != 0 {
		t.Errorf("given %v, and by then %d objects were saved (%d calls)", got, p.encoded, calls)
	}
	if p.save(); p.encoded != 1 {
		t.Errorf("afterwards %d objects were saved", p.encoded)
	}
}

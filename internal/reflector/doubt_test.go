package reflector

import (
	"testing"
	"time"
)

// A server may be restored and catch up between two attempts, however few there are.
func TestAServerIsAwayUntilItIsBack(t *testing.T) {
	const second = time.Second
	for _, tt := range []struct {
		name   string
		failed []time.Duration
		opened time.Duration
		long   bool
	}{
		{name: "no attempt failed", opened: 100 * second},
		{name: "it was soon back", failed: []time.Duration{1 * second, 3 * second}, opened: 5 * second},
		{name: "many attempts failed", failed: []time.Duration{1 * second, 3 * second, 12 * second}, opened: 13 * second, long: true},
		{name: "one attempt failed, and the next came late", failed: []time.Duration{1 * second}, opened: 11 * second, long: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var d doubts
			begun := time.Now()
			for _, at := range tt.failed {
				d.away(begun.Add(at))
			}
			if long := d.back(begun.Add(tt.opened)); long != tt.long {
				t.Errorf("it was away for long: %t, want %t", long, tt.long)
			}
			if d.back(begun.Add(time.Hour)) {
				t.Error("the next watch counts the same absence again")
			}
		})
	}
}

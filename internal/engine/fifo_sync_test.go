package engine

import (
	"fmt"
	"slices"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/reflector"
	"github.com/delta-runtime/delta-runtime/internal/timetable"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// A Sync that meets an event which turns out to repeat another shows the object to those
// who asked. Those of resyncs are kept apart, by who asked.
func TestSyncThatMeetsARepeatedEventIsShown(t *testing.T) {
	one, other := &delta.Origin{Resync: &delta.ResyncTerms{}}, &delta.Origin{Resync: &delta.ResyncTerms{OnDemand: true}}
	number := map[*delta.ResyncTerms]int{one.Resync: 1, other.Resync: 2}
	for _, tt := range []struct {
		ask  func(f *DeltaFIFO[note], a, b, c delta.Key)
		want []string
	}{
		{func(f *DeltaFIFO[note], _, _, _ delta.Key) { f.Resync() }, []string{"Sync a to all for 0", "Sync b to all for 0", "Updated c to all for 0"}},
		{func(f *DeltaFIFO[note], a, b, c delta.Key) {
			f.sync([]delta.Key{a, b, c}, &timetable.Audience{Members: []uint32{1}}, one)
			f.sync([]delta.Key{a}, &timetable.Audience{Members: []uint32{2}}, one)
			f.sync([]delta.Key{b}, &timetable.Audience{Members: []uint32{2}}, other)
		}, []string{"Updated c to all for 0", "Sync a to [1 2] for 1", "Sync b to [1] for 1", "Sync c to [1] for 1", "Sync b to [2] for 2"}},
	} {
		h := newHandFed(t, Options[note]{})
		h.list(reflector.Replacement{Version: "5"}, note{"a", "1", "x"}, note{"b", "1", "x"}, note{"c", "1", "x"})
		h.apply()

		h.push(delta.Updated, note{"a", "1", "x"})
		h.push(delta.Updated, note{"b", "1", "x"})
		h.push(delta.Updated, note{"c", "2", "y"})
		tt.ask(h.fifo, delta.Key{Name: "a"}, delta.Key{Name: "b"}, delta.Key{Name: "c"})
		var got []string
		for _, e := range h.apply() {
			to := "all"
			if e.to != timetable.Everyone {
				to = fmt.Sprint(e.to.Members)
			}
			got = append(got, fmt.Sprint(e.Op, " ", e.Key, " to ", to, " for ", number[e.Resync()]))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("told %q, want %q", got, tt.want)
		}
	}
}

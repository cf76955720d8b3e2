package delta

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
)

// TestUnfold has changes fold, and looks at the states that come out again.
func TestUnfold(t *testing.T) {
	state := func(version string) Object { return metaOnly("u", version, nil) }
	update := func(from, to string) Change {
		return Change{Op: Updated, Old: state(from), New: state(to), Deltas: 1, Origin: &Origin{Manager: "of " + to}}
	}
	folded := func(all ...Change) Change {
		for i := range all[1:] {
			if !fold(&all[0], &all[1+i]) {
				t.Fatalf("%s does not fold", &all[1+i])
			}
		}
		return all[0]
	}
	shown := func(c Change) (steps []string) {
		for step := range new(Ledger[int]).Clerk().Unfold(c) {
			text := fmt.Sprint(step.Op, " ×", step.Deltas)
			if step.Old != nil {
				text += " " + step.Old.GetResourceVersion()
			}
			text += "→" + step.New.GetResourceVersion()
			if step.Origin != nil {
				text += " " + step.Origin.Manager
			}
			if new(Ledger[int]).Clerk().Retold(step) {
				text += " again"
			}
			steps = append(steps, text)
		}
		return steps
	}
	lossy := folded(update("1", "2"), update("2", "3"))
	lossy.Deltas = 7
	told := func(c Change, more ...Change) Change {
		c.told = c.Object()
		return folded(append([]Change{c}, more...)...)
	}
	full := []Change{update("1", "2")}
	for i := range maxBetween + 2 {
		full = append(full, update(fmt.Sprint(i+2), fmt.Sprint(i+3)))
	}
	crowded := told(folded(full...), update(fmt.Sprint(maxBetween+4), "99"))
	var states []string
	for i := range maxBetween {
		states = append(states, fmt.Sprintf("Updated ×20 %d→%d again", i+1, i+2))
	}
	for name, tt := range map[string]struct {
		change Change
		want   []string
	}{
		"told":        {told(update("1", "2")), []string{"Updated ×1 1→2 of 2 again"}},
		"told, added": {told(Change{Op: Added, New: state("1"), Deltas: 1}), []string{"Added ×1→1 again"}},
		"goes on":     {told(update("1", "2"), update("2", "3"), update("3", "4")), []string{"Updated ×1 1→2 again", "Updated ×1 2→3", "Updated ×1 3→4 of 4"}},
		"no room":     {crowded, append(states, fmt.Sprintf("Updated ×20 %d→99 of 99", maxBetween+1))},
		"one":         {update("1", "2"), []string{"Updated ×1 1→2 of 2"}},
		"added":       {Change{Op: Added, New: state("1"), Deltas: 1}, []string{"Added ×1→1"}},
		"in order":    {folded(update("8", "9"), update("9", "10"), update("10", "11")), []string{"Updated ×1 8→9", "Updated ×1 9→10", "Updated ×1 10→11 of 11"}},
		"out of it":   {folded(update("2", "3"), update("1", "2"), update("3", "4")), []string{"Updated ×1 1→2", "Updated ×1 2→3", "Updated ×1 3→4 of 4"}},
		"opaque":      {folded(update("b", "a"), update("a", "c")), []string{"Updated ×1 b→a", "Updated ×1 a→c of c"}},
		"some missed": {lossy, []string{"Updated ×7 1→2", "Updated ×7 2→3 of 3"}},
	} {
		if got := shown(tt.change); !slices.Equal(got, tt.want) {
			t.Errorf("%s: the steps are %q, want %q", name, got, tt.want)
		}
	}
}

// TestPlaces has lists grow, shrink and start again, and compares each answer with a look through the list.
func TestPlaces(t *testing.T) {
	seeds.Run(t, 50, func(t *testing.T, rng *rand.Rand) {
		var list []Change
		at := placesIn(nil)
		draw := func() Change {
			c := Change{Kind: example, Key: Key{Name: fmt.Sprint(rng.IntN(5))}, Op: Updated}
			if rng.IntN(4) == 0 { // another form of it
				c.New = metaOnly("u", "1", nil)
			}
			return c
		}
		for step := range 400 {
			switch n := rng.IntN(20); {
			case n == 0:
				list = slices.Clone(list)
				at = placesIn(list)
			case n < 8 && len(list) > 0:
				at.dropped(&list[0])
				list = list[1:]
			default:
				list = append(list, draw())
				at.added(list)
			}
			c, place := draw(), rng.IntN(len(list)+1)
			want := place - 1
			for want >= 0 && identityOf(&list[want]) != identityOf(&c) {
				want--
			}
			if got := at.before(list, &c, place); got != want && (got >= 0 || want >= 0) {
				t.Fatalf("step %d, of %d changes: the one before %d is said to be %d, and it is %d", step, len(list), place, got, want)
			}
		}
	})
}

package delta

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
)

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

package engine

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// distinct sees whether keys repeat, in any order. ascends holds between neighbours in a
// server's order.
func TestDistinctKeys(t *testing.T) {
	seeds.Run(t, usualSeeds, func(t *testing.T, rng *rand.Rand) {
		words := []string{"", "a", "a-b", "a.b", "ab", "b"}
		keys := make([]delta.Key, rng.IntN(12))
		for i := range keys {
			keys[i] = delta.Key{Namespace: words[rng.IntN(len(words))], Name: words[rng.IntN(len(words))]}
		}
		different := map[delta.Key]bool{}
		for _, key := range keys {
			different[key] = true
		}
		if got, want := distinct(keys), len(different) == len(keys); got != want {
			t.Fatalf("%q: distinct is %t", keys, got)
		}

		slices.SortFunc(keys, func(a, b delta.Key) int {
			return strings.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name)
		})
		keys = slices.Compact(keys)
		for i := 1; i < len(keys); i++ {
			if !ascends(keys[i-1], keys[i]) {
				t.Fatalf("a server lists %q before %q", keys[i-1], keys[i])
			}
		}
	})
}

package engine

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// beliefs are the objects that a subscriber believes in. It takes each delta as it comes,
// also if that does not follow from the deltas before.
type beliefs map[delta.Key]part

func (b beliefs) hear(d *delta.Delta[part]) {
	if isEnd(d.Op) {
		delete(b, d.Key)
	} else {
		b[d.Key] = d.New
	}
}

// Where objects are removed silently and come back, a subscriber whose backlog folds
// ends up believing what one believes that is told everything.
func TestFoldingBelievesTheSameAfterSilentRemovals(t *testing.T) {
	seeds.Each(t, usualSeeds, func(t *testing.T, seed uint64) {
		h := newHistory(seed)
		rng := rand.New(rand.NewPCG(seed, 7))
		b := newFoldedBacklog(partTraits().UID)
		forgotten := map[delta.Key]bool{}
		folding, other := beliefs{}, beliefs{}
		keys, patience := 1+rng.IntN(4), 1+rng.IntN(40)
		hear := func() {
			for _, e := range b.take(make([]event[part], 0, 1+rng.IntN(4))) {
				folding.hear(&e.Delta)
			}
		}
		for n := range 300 {
			if rng.IntN(10) == 0 {
				key := delta.Key{Name: fmt.Sprint("k", rng.IntN(keys))}
				if _, exists := h.now[key]; exists {
					delete(h.now, key)
					forgotten[key] = true
				}
			}
			d := h.next(keys)
			other.hear(&d)
			if d.Op == delta.Added && forgotten[d.Key] {
				delete(forgotten, d.Key)
				b.addAgain(&d, uint64(n), time.Time{})
			} else {
				b.add(&d, uint64(n), time.Time{})
			}
			checkShape(t, b)
			if rng.IntN(patience) == 0 {
				hear()
			}
		}
		for b.length > 0 {
			hear()
		}
		if fmt.Sprint(folding) != fmt.Sprint(other) {
			t.Errorf("the one who folds believes %v, the other %v", folding, other)
		}
	})
}

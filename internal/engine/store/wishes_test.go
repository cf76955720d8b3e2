package store

import (
	"math/rand/v2"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
)

// TestWishesWaitForTheCommit has selectors ask for label indexes in the midst of a transaction, in a store that
// has been written and has views. They are answered without an index, and by it after the commit.
func TestWishesWaitForTheCommit(t *testing.T) {
	seeds.Run(t, usualSeeds, func(t *testing.T, rng *rand.Rand) {
		s := newScript(rng)
		for range 4 + rng.IntN(20) {
			if err := s.step(); err != nil {
				t.Fatal(err)
			}
		}
		before := len(s.store.catalog.Load().labels) // held views may have asked already
		txn := s.store.Begin(0)
		if err := compareReads(s.store, s.model); err != nil {
			t.Fatalf("while a transaction is under way: %v", err)
		}
		if made := len(s.store.catalog.Load().labels) - before; made > 0 {
			t.Errorf("a reader has made %d indexes beside the writer", made)
		}
		txn.Commit("")
		if s.store.catalog.Load().labels["color"] == nil {
			t.Error("the commit has made no index")
		}
		if err := s.compare(); err != nil {
			t.Fatal(err)
		}
		for v := range s.views {
			v.Release()
		}
	})
}

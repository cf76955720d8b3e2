package store

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// TestGrowingIndexAgainstModel lets label indexes grow a bucket at a time beside a
// script of writes and views, and looks at the structure after each step. That no
// selector asks meanwhile keeps them growing.
func TestGrowingIndexAgainstModel(t *testing.T) {
	grew := 0
	seeds.Each(t, usualSeeds, func(t *testing.T, seed uint64) {
		indexers := Indexers[cell]{"color": byColor}
		s := &script{
			rng:   rand.New(rand.NewPCG(seed, 1)),
			store: New(cellTraits, indexers),
			model: world{cells: map[delta.Key]cell{}, indexers: indexers},
			views: map[*View[cell]]world{},
		}
		s.store.stride = 1
		for range 4 + s.rng.IntN(8) {
			if err := s.step(); err != nil {
				t.Fatal(err)
			}
		}
		txn := s.store.Begin(0) // a wish that must wait
		if err := compareReads(s.store, s.model); err != nil {
			t.Fatalf("while a transaction is under way: %v", err)
		}
		txn.Commit("")
		for i := range 20 {
			if s.store.growth != nil {
				grew++
			}
			if err := s.step(); err != nil {
				t.Fatalf("step %d: %v", i, err)
			}
			if err := s.store.check(); err != nil {
				t.Fatalf("after step %d: %v", i, err)
			}
		}
		if err := s.compare(); err != nil {
			t.Fatal(err)
		}
		if s.store.growth != nil {
			t.Error("something still grows in a store at rest, though a selector asked for it")
		}
		for v := range s.views {
			v.Release()
		}
	})
	if grew == 0 {
		t.Error("no index grew beside a step")
	}
}

// TestWriterIsLetIn looks at how much of an index grows with each commit: as much
// as the writer can wait for, and no more.
func TestWriterIsLetIn(t *testing.T) {
	const objects = 6000
	s := New(cellTraits, nil)
	txn := s.Begin(objects)
	for i := range objects {
		key := delta.Key{Namespace: strconv.Itoa(i % 100), Name: strconv.Itoa(i)}
		txn.Put(key, cell{key: key, version: "1", color: colors[i%3]})
	}
	red := mustParse(t, "color=red")
	if n := len(s.Select("", red)); n != 0 {
		t.Fatalf("%d red objects before the commit", n)
	}
	txn.Commit("1")

	commits := 0
	for ; s.catalog.Load().labels["color"] == nil; commits++ {
		txn := s.Begin(1)
		if n := len(s.Select("", red)); n != (objects+2)/3 {
			t.Fatalf("%d red objects after %d commits", n, commits)
		}
		txn.Commit("")
	}
	if want := len(*s.entries.slots.Load()) / growStride; commits < want {
		t.Errorf("the index was there after %d commits, so some did more than their share of %d", commits, want)
	}
	if err := s.check(); err != nil {
		t.Error(err)
	}
	if n := len(s.Select("", red)); n != (objects+2)/3 {
		t.Errorf("%d red objects by the index", n)
	}
}

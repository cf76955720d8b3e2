package store

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// filedWorld is a store with two indexes, and the model.
type filedWorld struct {
	world

	s    *Store[cell]
	rng  *rand.Rand
	puts int // gives each state a version of its own
}

func (w *filedWorld) write(n int) {
	txn := w.s.Begin(n)
	for range n {
		key := delta.Key{Namespace: namespaces[w.rng.IntN(3)], Name: fmt.Sprint(w.rng.IntN(400))}
		if w.rng.IntN(6) == 0 {
			delete(w.cells, key)
			txn.Remove(key)
			continue
		}
		w.puts++
		c := cell{
			key: key, version: fmt.Sprint(w.puts), color: colors[w.rng.IntN(len(colors))],
			tags: []string{"t", "tu", "u", "tuv"}[w.rng.IntN(4)], size: w.rng.IntN(3),
		}
		w.cells[key] = c
		txn.Put(key, c)
	}
	txn.Commit("")
}

func (w *filedWorld) under() []Filed {
	var under []Filed
	for range w.rng.IntN(4) {
		f := Filed{"color", append(colors, "none")[w.rng.IntN(len(colors)+1)]}
		if w.rng.IntN(2) == 0 {
			f = Filed{"tag", []string{"t", "u", "v", "w"}[w.rng.IntN(4)]}
		}
		under = append(under, f)
	}
	return under
}

func TestSelectFiledAgainstModel(t *testing.T) {
	indexers := Indexers[cell]{"color": byColor, "tag": byTag}
	seeds.Each(t, heavySeeds, func(t *testing.T, seed uint64) {
		w := &filedWorld{world: world{cells: map[delta.Key]cell{}, indexers: indexers}, s: New(cellTraits, indexers), rng: rand.New(rand.NewPCG(seed, 3))}
		w.write(900) // enough for some values to be found by their labels
		for range 10 {
			w.write(w.rng.IntN(40))
			text, under := selectors[w.rng.IntN(len(selectors))], w.under()
			sel := mustParse(t, text)
			if w.rng.IntN(4) == 0 {
				sel = nil
			}
			want := w.where(func(c cell) bool {
				return (sel == nil || sel.Matches(labels.Set(cellTraits.Labels(c)))) && w.files(c, under)
			})
			ask := func(r filedReads) {
				t.Helper()
				if got, err := r.SelectFiled(sel, under...); err != nil || differs(got, want) {
					t.Fatalf("%T, %v under %v: %d cells, %v; want %d", r, sel, under, len(got), err, len(want))
				}
			}
			v := w.s.View()
			if w.rng.IntN(2) == 0 {
				w.s.Begin(1).Commit("") // some views are not of the newest commit
			}
			if w.rng.IntN(4) == 0 {
				txn := w.s.Begin(len(w.cells))
				for key, c := range w.cells {
					txn.Put(key, cell{key: key, version: "hidden", color: "none", tags: "w", size: c.size})
				}
				ask(v) // in full view of a transaction
				for key, c := range w.cells {
					txn.Put(key, c)
				}
				txn.Commit("")
			}
			ask(v)
			ask(w.s)
			v.Release()
		}
	})
}

// files reports whether a cell is filed under every one of the values.
func (w *filedWorld) files(c cell, under []Filed) bool {
	return !slices.ContainsFunc(under, func(f Filed) bool {
		values, err := w.indexers[f.Index](c)
		return err != nil || !slices.Contains(values, f.Value)
	})
}

// filedReads is what Store and View have in common here.
type filedReads interface {
	SelectFiled(labels.Selector, ...Filed) ([]cell, error)
}

func TestSelectFiledWithoutIndex(t *testing.T) {
	s := New(cellTraits, Indexers[cell]{"color": byColor})
	_, err := s.SelectFiled(nil, Filed{"color", "none"}, Filed{"shape", "round"})
	if !errors.Is(err, ErrNoIndex) {
		t.Errorf("read of an index that is not there: %v, although the other has nothing", err)
	}
}

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

// filedWorld is a store with two indexes, and the model, a map.
type filedWorld struct {
	s     *Store[cell]
	cells map[delta.Key]cell
	rng   *rand.Rand
	puts  int // gives each state a version of its own
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
		w := &filedWorld{s: New(cellTraits, indexers), cells: map[delta.Key]cell{}, rng: rand.New(rand.NewPCG(seed, 3))}
		w.write(900) // enough for some values to be found by their labels
		for range 10 {
			w.write(w.rng.IntN(40))
			text, under := selectors[w.rng.IntN(len(selectors))], w.under()
			sel, err := labels.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			if w.rng.IntN(4) == 0 {
				sel = nil
			}
			var want []cell
			for _, c := range w.cells {
				if (sel == nil || sel.Matches(labels.Set(cellTraits.Labels(c)))) && filedAs(t, indexers, c, under) {
					want = append(want, c)
				}
			}
			q := filedQuestion{sel, under, want}
			v := w.s.View()
			if w.rng.IntN(2) == 0 {
				w.s.Begin(1).Commit("") // some views are not of the newest commit
			}
			if w.rng.IntN(4) == 0 {
				txn := w.s.Begin(len(w.cells))
				for key, c := range w.cells {
					txn.Put(key, cell{key: key, version: "hidden", color: "none", tags: "w", size: c.size})
				}
				q.ask(t, v) // in full view of a transaction
				for key, c := range w.cells {
					txn.Put(key, c)
				}
				txn.Commit("")
			}
			q.ask(t, v)
			q.ask(t, w.s)
			v.Release()
		}
	})
}

func filedAs(t *testing.T, indexers Indexers[cell], c cell, under []Filed) bool {
	t.Helper()
	for _, f := range under {
		values, err := indexers[f.Index](c)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(values, f.Value) {
			return false
		}
	}
	return true
}

// filedReads is what Store and View have in common here.
type filedReads interface {
	SelectFiled(labels.Selector, ...Filed) ([]cell, error)
}

// filedQuestion is what is asked, and the model's answer.
type filedQuestion struct {
	sel   labels.Selector
	under []Filed
	want  []cell
}

func (q filedQuestion) ask(t *testing.T, r filedReads) {
	t.Helper()
	got, err := r.SelectFiled(q.sel, q.under...)
	if err != nil || differs(got, q.want) {
		t.Fatalf("%T, %v under %v: %d cells, %v; want %d", r, q.sel, q.under, len(got), err, len(q.want))
	}
}

func TestSelectFiledWithoutIndex(t *testing.T) {
	s := New(cellTraits, Indexers[cell]{"color": byColor})
	_, err := s.SelectFiled(nil, Filed{"color", "none"}, Filed{"shape", "round"})
	if !errors.Is(err, ErrNoIndex) {
		t.Errorf("read of an index that is not there: %v, although the other has nothing", err)
	}
}

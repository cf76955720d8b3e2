package engine

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/internal/engine/store"
	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// cell is the smallest object: a name and a version.
type cell struct {
	name    string
	version int
}

var cellTraits = store.Traits[cell]{
	Key: func(c cell) (delta.Key, error) {
		if c.name == "" {
			return delta.Key{}, fmt.Errorf("cell has no name")
		}
		return delta.ParseKey(c.name), nil
	},
	Version: func(c cell) string { return strconv.Itoa(c.version) },
	UID:     func(cell) string { return "" },
	Labels:  func(cell) map[string]string { return nil },
}

// cells is objects by key, as one layer or one subscriber sees them.
type cells map[delta.Key]cell

func (w cells) Get(k delta.Key) (cell, bool) { c, ok := w[k]; return c, ok }

func (w cells) Scope(namespace string) iter.Seq2[delta.Key, cell] {
	return func(yield func(delta.Key, cell) bool) {
		for k, c := range w {
			if (namespace == "" || namespace == k.Namespace) && !yield(k, c) {
				return
			}
		}
	}
}

func (w cells) Keys(namespace string) iter.Seq[delta.Key] {
	return func(yield func(delta.Key) bool) {
		for key := range w.Scope(namespace) {
			if !yield(key) {
				return
			}
		}
	}
}

func (w cells) Count(namespace string) int {
	n := 0
	for range w.Scope(namespace) {
		n++
	}
	return n
}

// apply does what the Controller does with a delta.
func (w cells) apply(d delta.Delta[cell]) {
	switch d.Op {
	case delta.Deleted:
		delete(w, d.Key)
	case delta.Sync:
	default:
		w[d.Key] = d.New
	}
}

// modelFIFO is the queue without cleverness: to know what is known, it replays
// everything that was not applied yet over a copy of the store.
type modelFIFO struct {
	pending, out []delta.Delta[cell]
	store        cells
	listed       bool
	unseen       int // deltas up to the end of the first list
	synced       bool
}

func (m *modelFIFO) known() cells {
	w := maps.Clone(m.store)
	for _, d := range m.out {
		w.apply(d)
	}
	for _, d := range m.pending {
		w.apply(d)
	}
	return w
}

func (m *modelFIFO) add(d delta.Delta[cell]) {
	m.pending = append(m.pending, d)
}

func (m *modelFIFO) push(op delta.Op, c cell) {
	key := delta.ParseKey(c.name)
	if _, there := m.known()[key]; op == delta.Deleted && !there {
		// The final state of an object whose deletion was inferred is still news.
		for i, d := range slices.Backward(m.pending) {
			if d.Key == key && d.Missed {
				m.pending[i] = delta.Delta[cell]{Key: key, Op: op, New: c}
			}
			if d.Key == key {
				break
			}
		}
		return
	}
	m.add(delta.Delta[cell]{Key: key, Op: op, New: c})
}

func (m *modelFIFO) replace(list []cell, r reflector.Replacement) {
	known := m.known()
	var gone []delta.Key
	for key := range known.Scope(r.Namespace) {
		listed := slices.ContainsFunc(list, func(c cell) bool { return delta.ParseKey(c.name) == key }) || slices.Contains(r.Refused, key)
		if !slices.Contains(r.Except, key.Namespace) && !listed {
			gone = append(gone, key)
		}
	}
	for i, c := range list {
		key := delta.ParseKey(c.name)
		if slices.ContainsFunc(list[i+1:], func(again cell) bool { return again.name == c.name }) {
			continue
		}
		if old, there := known[key]; there && old.version == c.version && !r.NewHistory {
			continue
		}
		m.add(delta.Delta[cell]{Key: key, Op: delta.Replaced, New: c, Initial: !m.listed})
	}
	slices.SortFunc(gone, delta.Key.Compare)
	for _, key := range gone {
		m.add(delta.Delta[cell]{Key: key, Op: delta.Deleted, Missed: true, Old: known[key]})
	}
	if !m.listed {
		m.listed = true
		m.unseen = len(m.pending) + len(m.out)
		m.synced = m.unseen == 0
	}
}

func (m *modelFIFO) sync(keys []delta.Key) {
	for _, key := range keys {
		if !slices.ContainsFunc(m.pending, func(d delta.Delta[cell]) bool { return d.Key == key }) {
			m.add(delta.Delta[cell]{Key: key, Op: delta.Sync})
		}
	}
}

func (m *modelFIFO) pop() { m.out, m.pending = m.pending, nil }

func (m *modelFIFO) release() {
	for _, d := range m.out {
		m.store.apply(d)
	}
	m.unseen = max(0, m.unseen-len(m.out))
	m.out = nil
	if m.listed && m.unseen == 0 {
		m.synced = true
	}
}

// brief strips what a model cannot know.
func brief(d delta.Delta[cell]) delta.Delta[cell] {
	return delta.Delta[cell]{Key: d.Key, Op: d.Op, Old: d.Old, New: d.New, Missed: d.Missed, Initial: d.Initial}
}

// TestFIFOModel drives the queue and its model through one random script each
// seed. Between Pop and Release other calls go on, which is where the layers
// matter.
func TestFIFOModel(t *testing.T) {
	seeds.Run(t, usualSeeds, func(t *testing.T, rng *rand.Rand) {
		runFIFOScript(t, rng)
	})
}

func runFIFOScript(t *testing.T, rng *rand.Rand) {
	model := &modelFIFO{store: cells{}}
	f := NewDeltaFIFO(FIFOOptions[cell]{Traits: cellTraits, Known: storeOf(model)})
	names := []string{"a/x", "a/y", "b/x", "b/y", "z"}
	version := 0
	handedOut := false
	for range 60 {
		name := names[rng.IntN(len(names))]
		switch action := rng.IntN(10); {
		case action < 4:
			version++
			op := delta.Op(1 + rng.IntN(3))
			model.push(op, cell{name: name, version: version})
			if err := f.Push(delta.Delta[cell]{Op: op, New: cell{name: name, version: version}, Version: strconv.Itoa(version)}, strconv.Itoa(version)); err != nil {
				t.Fatal(err)
			}
		case action < 5:
			list, r := randomList(rng, model, &version)
			model.replace(list, r)
			if err := f.Replace(list, r); err != nil {
				t.Fatal(err)
			}
		case action < 6:
			keys := []delta.Key{delta.ParseKey(name), delta.ParseKey(names[rng.IntN(len(names))])}
			model.sync(keys)
			f.sync(keys, nil, nil)
		case handedOut:
			model.release()
			f.Release()
			handedOut = false
		case f.Len() > 0:
			model.pop()
			batch, err := f.Pop(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			var got []delta.Delta[cell]
			for d := range batch.Deltas() {
				got = append(got, brief(d))
			}
			if !slices.Equal(got, model.out) {
				t.Fatalf("popped\n%v, want\n%v", got, model.out)
			}
			handedOut = true
		}
		if got, want := f.HasSynced(), model.synced; got != want {
			t.Fatalf("HasSynced() = %v, want %v", got, want)
		}
		if got, want := f.Len(), len(model.pending); got != want {
			t.Fatalf("%d deltas pending, want %d", got, want)
		}
	}
}

// randomList lists some of what is known, some of it changed, and something new.
func randomList(rng *rand.Rand, model *modelFIFO, version *int) ([]cell, reflector.Replacement) {
	r := reflector.Replacement{NewHistory: rng.IntN(5) == 0}
	switch rng.IntN(6) {
	case 0, 1:
		r.Namespace = "a"
	case 2:
		r.Except = []string{"b"}
	}
	var list []cell
	for _, name := range []string{"a/x", "a/y", "b/x", "b/y", "z"} {
		key := delta.ParseKey(name)
		if r.Namespace != "" && r.Namespace != key.Namespace || slices.Contains(r.Except, key.Namespace) {
			continue
		}
		known, there := model.known()[key]
		switch choice := rng.IntN(3); {
		case choice == 0 && there:
			list = append(list, known)
		case choice == 1:
			*version++
			list = append(list, cell{name: name, version: *version})
		case choice == 2 && rng.IntN(3) == 0:
			r.Refused = append(r.Refused, key)
		}
	}
	if len(list) > 0 && rng.IntN(4) == 0 { // some server shows one twice
		again := list[rng.IntN(len(list))]
		again.version -= rng.IntN(2)
		list = append(list, again)
	}
	if rng.IntN(2) == 0 { // servers list in order, but nothing may depend on it
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	return list, r
}

// storeOf shows the model's store, which release replaces, to the queue.
func storeOf(m *modelFIFO) Known[cell] { return storeView{m} }

type storeView struct{ *modelFIFO }

func (s storeView) Get(k delta.Key) (cell, bool)       { return s.store.Get(k) }
func (s storeView) Keys(ns string) iter.Seq[delta.Key] { return s.store.Keys(ns) }
func (s storeView) Count(ns string) int                { return s.store.Count(ns) }

package store

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// cell is the object of these tests: comparable, so that a test sees whether it
// got the very state that it expects.
type cell struct {
	key     delta.Key
	version string
	color   string // index "color", and label "color"
	tags    string // index "tag": one value a letter; "!" is an error
	size    int    // label "size", absent when 0
}

var cellTraits = Traits[cell]{
	Key:     func(c cell) (delta.Key, error) { return c.key, nil },
	Version: func(c cell) string { return c.version },
	UID:     func(cell) string { return "" },
	Labels: func(c cell) map[string]string {
		l := map[string]string{"color": c.color}
		if c.size > 0 {
			l["size"] = strconv.Itoa(c.size)
		}
		return l
	},
}

var errTag = errors.New("bad tag")

func byColor(c cell) ([]string, error) { return []string{c.color}, nil }

func byTag(c cell) ([]string, error) {
	if c.tags == "!" {
		return nil, errTag
	}
	return strings.Split(c.tags, ""), nil
}

func byName(c cell) ([]string, error) { return []string{c.key.Name}, nil }

// world is the model: what a view shows, as a map.
type world struct {
	cells    map[delta.Key]cell
	version  string
	indexers Indexers[cell]
}

func (w world) clone() world {
	return world{cells: maps.Clone(w.cells), version: w.version, indexers: w.indexers}
}

func (w world) where(match func(cell) bool) []cell {
	cells := []cell{}
	for _, c := range w.cells {
		if match(c) {
			cells = append(cells, c)
		}
	}
	return cells
}

func (w world) indexed(name string) map[string][]cell {
	values := map[string][]cell{}
	for _, c := range w.cells {
		vs, _ := w.indexers[name](c)
		slices.Sort(vs)
		for _, v := range slices.Compact(vs) {
			values[v] = append(values[v], c)
		}
	}
	return values
}

// reads is what Store and View have in common.
type reads interface {
	Get(delta.Key) (cell, bool)
	Len() int
	Version() string
	List() []cell
	ByIndex(name, value string) ([]cell, error)
	IndexKeys(name, value string) ([]delta.Key, error)
	IndexValues(name string) ([]string, error)
	Select(string, labels.Selector) []cell
}

func oneOf(rng *rand.Rand, from []string) string { return from[rng.IntN(len(from))] }

func randomKey(rng *rand.Rand) delta.Key {
	return delta.Key{Namespace: oneOf(rng, namespaces), Name: oneOf(rng, names)}
}

// script drives a store and the model by the same random steps.
type script struct {
	rng   *rand.Rand
	store *Store[cell]
	model world
	views map[*View[cell]]world
	next  int
}

func newScript(rng *rand.Rand) *script {
	indexers := Indexers[cell]{"color": byColor}
	return &script{
		rng: rng, store: New(cellTraits, indexers),
		model: world{cells: map[delta.Key]cell{}, indexers: indexers}, views: map[*View[cell]]world{},
	}
}

func (s *script) object(key delta.Key) cell {
	if old, ok := s.model.cells[key]; ok && s.rng.IntN(4) == 0 {
		return old // the same state again
	}
	s.next++
	return cell{
		key: key, version: strconv.Itoa(s.next), color: oneOf(s.rng, colors),
		tags: oneOf(s.rng, tags), size: s.rng.IntN(3),
	}
}

// replacing is Put, by the method that asks first.
func replacing(txn *Txn[cell]) func(delta.Key, cell) (cell, bool) {
	return func(key delta.Key, c cell) (old cell, existed bool) {
		old, existed, _ = txn.Replace(key, c, func(cell) bool { return false })
		return old, existed
	}
}

// transaction writes a few objects and checks what it is told on the way.
func (s *script) transaction() error {
	txn := s.store.Begin(s.rng.IntN(3))
	bad := false
	for range s.rng.IntN(8) {
		key := randomKey(s.rng)
		want, had := s.model.cells[key]
		if got, ok := txn.Get(key); got != want || ok != had {
			return fmt.Errorf("Txn.Get(%s) = %v %v, want %v %v", key, got, ok, want, had)
		}
		var got cell
		var ok bool
		switch n := s.rng.IntN(9); {
		case n < 3:
			got, ok = txn.Remove(key)
			delete(s.model.cells, key)
		case n == 3: // as a list that shows it once more
			var kept bool
			c := s.object(key)
			bad = bad || !had && c.tags == "!" && s.model.indexers["tag"] != nil
			got, ok, kept = txn.Replace(key, c, func(old cell) bool { return had && old == want })
			if kept != had {
				return fmt.Errorf("Txn.Replace(%s) kept what was there: %v, want %v", key, kept, had)
			}
			if !kept {
				txn.Remove(key)
			}
		default:
			c, put := s.object(key), txn.Put
			if had && s.rng.IntN(3) == 0 { // changed without a new version
				c.version, put = want.version, replacing(txn)
			}
			bad = bad || c.tags == "!" && s.model.indexers["tag"] != nil
			got, ok = put(key, c)
			s.model.cells[key] = c
		}
		if got != want || ok != had {
			return fmt.Errorf("write of %s returns %v %v, want %v %v", key, got, ok, want, had)
		}
	}
	version := ""
	if s.rng.IntN(3) > 0 {
		s.next++
		version = strconv.Itoa(s.next)
	}
	if s.rng.IntN(4) == 0 { // readers meanwhile see what was before
		for v, w := range s.views {
			if err := compareView(v, w); err != nil {
				return fmt.Errorf("held view, in a transaction: %w", err)
			}
		}
	}
	txn.Commit(version)
	s.model.version = cmp.Or(version, s.model.version)
	if err := txn.Err(); errors.Is(err, errTag) != bad {
		return fmt.Errorf("Txn.Err = %w, want one: %v", err, bad)
	}
	return nil
}

func (s *script) step() error {
	switch s.rng.IntN(8) {
	case 0:
		if len(s.views) < 4 {
			s.views[s.store.View()] = s.model.clone()
		}
	case 1:
		for v := range s.views {
			v.Release()
			v.Release()
			delete(s.views, v)
			break
		}
	case 2:
		return s.addIndexer()
	default:
		return s.transaction()
	}
	return nil
}

func (s *script) addIndexer() error {
	name := oneOf(s.rng, []string{"tag", "name", "color"})
	fn := map[string]IndexFunc[cell]{"tag": byTag, "name": byName, "color": byColor}[name]
	err := s.store.AddIndexers(Indexers[cell]{name: fn})
	if s.model.indexers[name] != nil {
		if !errors.Is(err, ErrIndexExists) {
			return fmt.Errorf("a second index %q: %w", name, err)
		}
		return nil
	}
	if errors.Is(err, errTag) {
		return nil // some object has a bad tag; the index must not be there
	}
	s.model.indexers = maps.Clone(s.model.indexers)
	s.model.indexers[name] = fn
	for v, w := range s.views {
		w.indexers = s.model.indexers
		s.views[v] = w
	}
	return err
}

func (s *script) compare() error {
	if err := s.store.check(); err != nil {
		return err
	}
	if err := compareReads(s.store, s.model); err != nil {
		return err
	}
	for v, w := range s.views {
		if err := compareView(v, w); err != nil {
			return fmt.Errorf("held view: %w", err)
		}
	}
	if names := slices.Sorted(maps.Keys(s.store.catalog.Load().named)); !slices.Equal(names, slices.Sorted(maps.Keys(s.model.indexers))) {
		return fmt.Errorf("the indexes are %v, want those of %v", names, s.model.indexers)
	}
	if _, err := s.store.ByIndex("none", ""); !errors.Is(err, ErrNoIndex) {
		return fmt.Errorf("ByIndex of no index: %w", err)
	}
	return nil
}

func TestModel(t *testing.T) {
	seeds.Run(t, heavySeeds, func(t *testing.T, rng *rand.Rand) {
		s := newScript(rng)
		for i := range 60 {
			if err := s.step(); err != nil {
				t.Fatalf("step %d: %v", i, err)
			}
			if i%4 == 0 || i > 50 {
				if err := s.compare(); err != nil {
					t.Fatalf("after step %d: %v", i, err)
				}
			}
		}
		for v := range s.views {
			v.Release()
		}
		if err := s.store.check(); err != nil {
			t.Errorf("after the last view: %v", err)
		}
	})
}

func mustParse(t *testing.T, selector string) labels.Selector {
	t.Helper()
	sel, err := labels.Parse(selector)
	if err != nil {
		t.Fatal(err)
	}
	return sel
}

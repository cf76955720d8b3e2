package store

import (
	"fmt"
	"runtime"
	"testing"
	"weak"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

type heavy struct{ _ [1024]byte }

var heavyTraits = Traits[*heavy]{
	Version: func(*heavy) string { return "" },
	UID:     func(*heavy) string { return "" },
}

func putHeavy(s *Store[*heavy], name string) weak.Pointer[heavy] {
	o := new(heavy)
	txn := s.Begin(1)
	txn.Put(delta.Key{Name: name}, o)
	txn.Commit("")
	return weak.Make(o)
}

// alive reports whether the collector leaves the object.
func alive(p weak.Pointer[heavy]) bool {
	runtime.GC()
	return p.Value() != nil
}

func TestReplacedObjectLivesAsLongAsItsViews(t *testing.T) {
	s := New(heavyTraits, Indexers[*heavy]{"all": func(*heavy) ([]string, error) { return []string{"x"}, nil }})
	first := putHeavy(s, "x")
	atFirst := s.View()
	second := putHeavy(s, "x")
	third := putHeavy(s, "x")
	atThird, alsoAtThird := s.View(), s.View()
	fourth := putHeavy(s, "x")

	expect := func(when string, want ...bool) {
		t.Helper()
		for i, p := range []weak.Pointer[heavy]{first, second, third, fourth} {
			if got := alive(p); got != want[i] {
				t.Errorf("%s: object %d is alive: %v, want %v", when, i+1, got, want[i])
			}
		}
		if err := s.check(); err != nil {
			t.Errorf("%s: %v", when, err)
		}
	}
	expect("with views", true, false, true, true)
	atThird.Release()
	expect("one of two views released", true, false, true, true)
	alsoAtThird.Release()
	expect("the newer views released", true, false, false, true)
	atFirst.Release()
	expect("all released", false, false, false, true)
	txn := s.Begin(1)
	txn.Remove(delta.Key{Name: "x"})
	txn.Commit("")
	expect("removed", false, false, false, false)
	if n := s.entries.live; n != 0 {
		t.Errorf("%d entries are left of a removed object", n)
	}
	runtime.KeepAlive(s)
}

// A view that is dropped without Release costs memory until it is collected, and
// no longer.
func TestDroppedViewIsReleased(t *testing.T) {
	s := New(heavyTraits, nil)
	first := putHeavy(s, "x")
	func() { _ = s.View().Len() }()
	putHeavy(s, "x")
	await.Until(t, "the collector to take what a dropped view kept", func() bool { return !alive(first) })
	runtime.KeepAlive(s)
}

// Release throws away what a relist drops while readers hold a view, even names that never
// come back.
func TestNothingIsLeftOfWhatCameAndWent(t *testing.T) {
	s := New(cellTraits, Indexers[cell]{"name": byName})
	for round := range 50 {
		v := s.View()
		txn := s.Begin(100)
		for i := range 100 {
			key := delta.Key{Namespace: fmt.Sprint("ns", round), Name: fmt.Sprint(round, "-", i)}
			txn.Put(key, cell{key: key, version: "1"})
		}
		for key := range txn.Untouched() {
			txn.Remove(key)
		}
		txn.Commit("")
		v.Release()
	}
	if err := s.check(); err != nil {
		t.Error(err)
	}
	namespaces, values := 0, 0
	for range s.namespaces.all() {
		namespaces++
	}
	for range s.catalog.Load().named["name"].all() {
		values++
	}
	if namespaces != 1 || values != 100 || s.entries.live != 100 {
		t.Errorf("%d namespaces, %d index values and %d entries are left of 1, 100 and 100", namespaces, values, s.entries.live)
	}
}

// An index function that panics leaves the transaction as it was before the Put.
func TestPanicInIndexFunction(t *testing.T) {
	s := New(cellTraits, Indexers[cell]{"color": byColor, "picky": func(c cell) ([]string, error) {
		if c.tags == "!" {
			panic("picky")
		}
		return nil, nil
	}})
	key := delta.Key{Name: "x"}
	put := func(txn *Txn[cell], c cell) (panicked any) {
		defer func() { panicked = recover() }()
		txn.Put(key, c)
		return nil
	}
	txn := s.Begin(1)
	if p := put(txn, cell{key: key, version: "1", color: "red"}); p != nil {
		t.Fatal(p)
	}
	if p := put(txn, cell{key: key, version: "2", color: "blue", tags: "!"}); p != "picky" {
		t.Errorf("Put panics with %v", p)
	}
	txn.Commit("1")
	if got, ok := s.Get(key); !ok || got.version != "1" {
		t.Errorf("after the panic the object is %v %v, want what was put before", got, ok)
	}
	if err := s.check(); err != nil {
		t.Error(err)
	}
}

func TestSecondWriterPanics(t *testing.T) {
	s := New(cellTraits, nil)
	txn := s.Begin(0)
	for what, do := range map[string]func(){
		"Begin":       func() { s.Begin(0) },
		"AddIndexers": func() { _ = s.AddIndexers(nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s within a transaction does not panic", what)
				}
			}()
			do()
		}()
	}
	txn.Commit("")
	defer func() {
		if recover() == nil {
			t.Error("Put after Commit does not panic")
		}
	}()
	txn.Put(delta.Key{}, cell{})
}

func TestLabelIndexesAreBounded(t *testing.T) {
	s := New(cellTraits, nil)
	for i := range 2 * maxLabelIndexes {
		s.Select("", mustParse(t, fmt.Sprintf("key%d=x", i)))
	}
	if n := len(s.catalog.Load().labels); n != maxLabelIndexes {
		t.Errorf("%d label indexes, want no more than %d", n, maxLabelIndexes)
	}
}

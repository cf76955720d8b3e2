package engine

import (
	"testing"
	"testing/synctest"

	"github.com/delta-runtime/delta-runtime/internal/engine/store"
	"github.com/delta-runtime/delta-runtime/internal/testing/faulty"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// panicOf calls f and returns what it panicked with.
func panicOf(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

// A function that somebody hands over and that panics is that caller's business: he
// gets the panic, and the informer goes on.
func TestPanicOfACallersFunctionIsTheCallers(t *testing.T) {
	panicking := store.Indexers[faulty.Thing]{"broken": func(faulty.Thing) ([]string, error) { panic("boom") }}
	byVersion := store.Indexers[faulty.Thing]{"version": func(t faulty.Thing) ([]string, error) { return []string{t.Version}, nil }}
	check := func(t *testing.T, i *Informer[faulty.Thing]) {
		t.Helper()
		if err := i.AddIndexers(byVersion); err != nil {
			t.Error(err)
		}
		if err := i.Write(func(txn *store.Txn[faulty.Thing]) {
			txn.Put(delta.Key{Name: "seeded"}, faulty.Thing{Name: "seeded", Version: "1"})
		}); err != nil {
			t.Fatal(err)
		}
		for what, call := range map[string]func(){
			"AddIndexers": func() { _ = i.AddIndexers(panicking) },
			"Write":       func() { _ = i.Write(func(*store.Txn[faulty.Thing]) { panic("boom") }) },
		} {
			if got := panicOf(call); got != "boom" {
				t.Errorf("%s panicked with %v, want what the function panicked with", what, got)
			}
			if err := i.Write(func(txn *store.Txn[faulty.Thing]) { txn.Remove(delta.Key{Name: "seeded"}) }); err != nil {
				t.Errorf("Write after %s: %v", what, err)
			}
			if _, there := i.Store().Get(delta.Key{Name: "seeded"}); there {
				t.Errorf("after %s a write does nothing", what)
			}
			if err := i.Write(func(txn *store.Txn[faulty.Thing]) {
				txn.Put(delta.Key{Name: "seeded"}, faulty.Thing{Name: "seeded", Version: "1"})
			}); err != nil {
				t.Error(err)
			}
			if found, err := i.Store().ByIndex("version", "1"); err != nil || len(found) != 1 {
				t.Errorf("after %s the new index finds %v, %v", what, found, err)
			}
		}
	}
	t.Run("before Run", func(t *testing.T) {
		check(t, New[faulty.Thing](faultless(t), Options[faulty.Thing]{Name: "things", Traits: thingTraits}))
	})
	t.Run("while it runs", func(t *testing.T) {
		withInformer(t, Options[faulty.Thing]{}, func(i *Informer[faulty.Thing], server *faulty.Server) {
			check(t, i)
			server.Remove("a")
			synctest.Wait()
			if _, there := lookUp(i, "a"); there {
				t.Error("the informer no longer follows its server")
			}
		})
	})
	t.Run("after it has stopped", func(t *testing.T) {
		withInformer(t, Options[faulty.Thing]{}, func(*Informer[faulty.Thing], *faulty.Server) {}, func(i *Informer[faulty.Thing]) { check(t, i) })
	})
}

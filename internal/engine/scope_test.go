package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/testing/faulty"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// scopeOf is a scope of a server without faults, which has a, b and c in it.
func scopeOf(t *testing.T, within reach) Scope[faulty.Thing] {
	t.Helper()
	server := province{faultless(t), within}
	return Scope[faulty.Thing]{Namespace: within.namespace, Except: within.except, ListWatcher: server}
}

func newScoped(t *testing.T, opts Options[faulty.Thing], scopes ...Scope[faulty.Thing]) *Informer[faulty.Thing] {
	t.Helper()
	opts.Name, opts.Traits = "things", scopedTraits
	i, err := NewScoped(scopes, opts)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// withScopes runs an informer with these scopes in a bubble, until it rests, and
// stops it after the test.
func withScopes(t *testing.T, opts Options[faulty.Thing], scopes func(*testing.T) []Scope[faulty.Thing], test func(*testing.T, *Informer[faulty.Thing])) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		i := newScoped(t, opts, scopes(t)...)
		start(t, i)
		synctest.Wait()
		time.Sleep(time.Second) // the server answers after some milliseconds
		synctest.Wait()
		test(t, i)
	})
}

func pAndQ(t *testing.T) []Scope[faulty.Thing] {
	t.Helper()
	return []Scope[faulty.Thing]{scopeOf(t, reach{namespace: "p"}), scopeOf(t, reach{namespace: "q"})}
}

func TestScopesThatOverlapAreRefusedByName(t *testing.T) {
	lw := forbidden{}
	one := func(namespace string) Scope[faulty.Thing] {
		return Scope[faulty.Thing]{Namespace: namespace, ListWatcher: lw}
	}
	rest := func(except ...string) Scope[faulty.Thing] {
		return Scope[faulty.Thing]{Except: except, ListWatcher: lw}
	}
	for name, tt := range map[string]struct {
		scopes []Scope[faulty.Thing]
		says   []string // nothing: it is good
		is     error
	}{
		"one":                      {scopes: []Scope[faulty.Thing]{one("p")}},
		"everything":               {scopes: []Scope[faulty.Thing]{rest()}},
		"some and the rest":        {scopes: []Scope[faulty.Thing]{one("p"), rest("q", "p"), one("q")}},
		"none":                     {says: []string{"things", "no scope"}},
		"twice the same":           {[]Scope[faulty.Thing]{one("p"), one("q"), one("p")}, []string{"namespace p"}, ErrOverlap},
		"one and everything":       {[]Scope[faulty.Thing]{one("p"), rest()}, []string{"namespace p", "all namespaces"}, ErrOverlap},
		"one that is not excepted": {[]Scope[faulty.Thing]{rest("q"), one("p")}, []string{"namespace p", "all namespaces but q"}, ErrOverlap},
		"twice the rest":           {[]Scope[faulty.Thing]{rest("q"), rest("p")}, []string{"but p", "but q"}, ErrOverlap},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := NewScoped(tt.scopes, Options[faulty.Thing]{Name: "things", Traits: scopedTraits})
			if (err == nil) != (tt.says == nil) || tt.is != nil && !errors.Is(err, tt.is) {
				t.Fatalf("NewScoped: %v", err)
			}
			for _, word := range tt.says {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("%q is missing in %v", word, err)
				}
			}
		})
	}
}

func TestReadsSayWhatIsNotCoveredOrNotSynced(t *testing.T) {
	scopes := func(t *testing.T) []Scope[faulty.Thing] {
		t.Helper()
		return []Scope[faulty.Thing]{scopeOf(t, reach{namespace: "p"}), {Namespace: "z", ListWatcher: forbidden{}}}
	}
	withScopes(t, Options[faulty.Thing]{}, scopes, func(t *testing.T, i *Informer[faulty.Thing]) {
		if err := i.SyncedIn("p"); err != nil {
			t.Errorf("SyncedIn(p): %v", err)
		}
		if err := i.SyncedIn("z"); !errors.Is(err, informer.ErrNotSynced) || apierrors.IsNotFound(err) ||
			!strings.HasPrefix(err.Error(), "things: not synced yet: things in namespace z ") || !strings.Contains(err.Error(), "grant list and watch") {
			t.Errorf("SyncedIn(z): %v", err)
		}
		if err := i.SyncedIn("q"); !errors.Is(err, informer.ErrNotCovered) || err.Error() != `things in namespace "q": not covered by any scope` {
			t.Errorf("SyncedIn(q): %v", err)
		}
		if err := i.SyncedIn(""); !errors.Is(err, informer.ErrNotCovered) {
			t.Errorf("SyncedIn of objects without a namespace: %v", err)
		}
		if err := i.SyncedEverywhere(); !errors.Is(err, informer.ErrNotSynced) {
			t.Errorf("SyncedEverywhere: %v", err)
		}
		if i.HasSynced() || !isClosed(i.Settled()) {
			t.Errorf("synced: %t, settled: %t", i.HasSynced(), isClosed(i.Settled()))
		}
		if err := i.RemoveScope("z", informer.Silently); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if err := i.SyncedEverywhere(); err != nil || !i.HasSynced() {
			t.Errorf("without z, SyncedEverywhere: %v; synced: %t", err, i.HasSynced())
		}
	})
}

// A subscriber of an informer that is to be ready when it has settled does not wait
// for a scope that is forbidden.
func TestSubscribersAreReadyWhenSettled(t *testing.T) {
	for _, settled := range []bool{false, true} {
		scopes := func(t *testing.T) []Scope[faulty.Thing] {
			t.Helper()
			return append(pAndQ(t), Scope[faulty.Thing]{Namespace: "z", ListWatcher: forbidden{}})
		}
		withScopes(t, Options[faulty.Thing]{WhenSettled: settled}, scopes, func(t *testing.T, i *Informer[faulty.Thing]) {
			told := 0
			s := subscribe(t, i, func(*delta.Delta[faulty.Thing]) { told++ })
			synctest.Wait()
			if told != 6 || isClosed(s.Synced()) != settled {
				t.Errorf("settled %t: told of %d, synced: %t", settled, told, isClosed(s.Synced()))
			}
		})
	}
}

func TestScopeThatIsAddedWhileRunning(t *testing.T) {
	withScopes(t, Options[faulty.Thing]{}, pAndQ, func(t *testing.T, i *Informer[faulty.Thing]) {
		var told []string
		subscribe(t, i, func(d *delta.Delta[faulty.Thing]) { told = append(told, fmt.Sprint(d.Op, " ", d.Key, " ", d.Initial)) })
		synctest.Wait()
		told = nil
		if _, _, err := i.ScopeReady("r"); !errors.Is(err, informer.ErrNotCovered) {
			t.Errorf("ScopeReady before there is a scope: %v", err)
		}
		if err := i.AddScope(scopeOf(t, reach{namespace: "r"})); err != nil {
			t.Fatal(err)
		}
		if err := i.SyncedIn("r"); !errors.Is(err, informer.ErrNotSynced) || !i.HasSynced() || i.SyncedIn("p") != nil {
			t.Errorf("SyncedIn(r) = %v, the informer has synced: %t", err, i.HasSynced())
		}
		synced, _, err := i.ScopeReady("r")
		if err != nil {
			t.Fatal(err)
		}
		<-synced
		if found := i.Store().Select("r", labels.Everything()); i.SyncedIn("r") != nil || len(found) != 3 {
			t.Errorf("synced, it has %v in r", found)
		}
		synctest.Wait()
		if slices.Sort(told); !slices.Equal(told, []string{"Added r/a true", "Added r/b true", "Added r/c true"}) {
			t.Errorf("told %v", told)
		}
	})
}

func TestScopeThatIsRemoved(t *testing.T) {
	for how, want := range map[informer.Removal][]string{
		informer.Silently:     nil,
		informer.AsOutOfScope: {"OutOfScope p/a a@7", "OutOfScope p/b b@8", "OutOfScope p/c c@9"},
	} {
		withScopes(t, Options[faulty.Thing]{}, pAndQ, func(t *testing.T, i *Informer[faulty.Thing]) {
			var told []string
			subscribe(t, i, func(d *delta.Delta[faulty.Thing]) {
				told = append(told, fmt.Sprint(d.Op, " ", d.Key, " ", strings.TrimPrefix(d.Object().String(), "p/")))
			})
			synctest.Wait()
			told = nil
			if err := i.RemoveScope("p", 0); err == nil || i.SyncedIn("p") != nil {
				t.Errorf("removing without saying how: %v", err)
			}
			if err := i.RemoveScope("p", how); err != nil {
				t.Fatal(err)
			}
			if n := i.Store().Len(); n != 3 {
				t.Errorf("%d objects in the store, want those of q", n)
			}
			if err := i.SyncedIn("p"); !errors.Is(err, informer.ErrNotCovered) {
				t.Errorf("SyncedIn(p): %v", err)
			}
			synctest.Wait()
			if !slices.Equal(told, want) {
				t.Errorf("told %q, want %q", told, want)
			}
			if n := i.Gaps(); n != 1 {
				t.Errorf("a scope was removed, which is %d gaps", n)
			}
			if err := i.AddScope(scopeOf(t, reach{namespace: "p"})); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			synctest.Wait()
			if err := i.SyncedEverywhere(); err != nil || i.Store().Len() != 6 {
				t.Errorf("when p is back, there are %d objects, %v", i.Store().Len(), err)
			}
		})
	}
}

// Scopes may come and go before the informer runs, while it ends and afterwards,
// also by the hand of a handler that Run waits for.
func TestScopesChangeAtAnyTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := newScoped(t, Options[faulty.Thing]{}, pAndQ(t)...)
		if err := i.RemoveScope("q", informer.AsOutOfScope); err != nil {
			t.Error(err)
		}
		if err := i.AddScope(scopeOf(t, reach{except: []string{"p", "r"}})); err != nil {
			t.Error(err)
		}
		g := lifecycle.New(t.Context())
		subscribe(t, i, func(d *delta.Delta[faulty.Thing]) {
			if d.Key.String() == "p/a" {
				g.Stop()
				synctest.Wait() // until nothing else of the informer runs
				if err := i.AddScope(scopeOf(t, reach{namespace: "r"})); !errors.Is(err, ErrStopped) {
					t.Errorf("AddScope at the end: %v", err)
				}
				if err := i.RemoveScope("p", informer.AsOutOfScope); err != nil {
					t.Errorf("RemoveScope at the end: %v", err)
				}
			}
		})
		g.Go("informer", i.Run)
		_ = g.Wait()
		if err := i.AddScope(scopeOf(t, reach{namespace: "r"})); !errors.Is(err, ErrStopped) {
			t.Errorf("AddScope after the end: %v", err)
		}
		if err := i.RemoveScope("", informer.Silently); err != nil || i.Store().Len() != 0 {
			t.Errorf("RemoveScope after the end: %v, %d objects are left", err, i.Store().Len())
		}
	})
}

// A subscriber without a policy is resynced as the scopes say, one with a policy by
// that, and both follow the scopes that come and go.
func TestResyncByScope(t *testing.T) {
	scopes := func(t *testing.T) []Scope[faulty.Thing] {
		t.Helper()
		all := append(pAndQ(t), scopeOf(t, reach{except: []string{"p", "q", "r"}}))
		all[0].Resync.Period, all[1].Resync.Period = time.Minute, 10*time.Minute
		return all
	}
	withScopes(t, Options[faulty.Thing]{}, scopes, func(t *testing.T, i *Informer[faulty.Thing]) {
		var mu sync.Mutex // guards syncs, which each subscriber counts in
		syncs := map[string]int{}
		follow := func(name string, policy resync.Policy) {
			_, err := i.Subscribe(func(d *delta.Delta[faulty.Thing]) {
				mu.Lock()
				defer mu.Unlock()
				if d.Op == delta.Sync {
					syncs[name+" "+d.Key.Namespace]++
				}
			}, informer.SubscribeOptions{Resync: policy})
			if err != nil {
				t.Fatal(err)
			}
		}
		follow("open", resync.Policy{})
		follow("own", resync.Policy{Period: 20 * time.Minute})
		follow("never", resync.Policy{Period: resync.Never})
		follow("chosen", resync.Policy{Period: 5 * time.Minute, Except: []string{"p", ""}})
		check := func(want map[string]int) {
			t.Helper()
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			if fmt.Sprint(syncs) != fmt.Sprint(want) {
				t.Errorf("syncs by subscriber and namespace:\n%v, want\n%v", syncs, want)
			}
			clear(syncs)
		}
		time.Sleep(20*time.Minute + time.Second)
		check(map[string]int{"open p": 60, "open q": 6, "own p": 3, "own q": 3, "own x": 2, "own y": 1, "chosen q": 12, "chosen x": 8, "chosen y": 4})
		r := scopeOf(t, reach{namespace: "r"})
		r.Resync.Period = 10 * time.Minute
		if err := errors.Join(i.RemoveScope("p", informer.Silently), i.RemoveScope("", informer.Silently), i.AddScope(r)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Minute)
		check(map[string]int{"open q": 6, "open r": 6, "own q": 3, "own r": 3, "chosen q": 12, "chosen r": 12})
	})
}

package engine

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// These tests are about what exists and is not in the first list, or not as it was saved. Who cleans up after a deletion would destroy it.

// goneOf is the names of the cards that are told to be deleted.
func (e *ear) goneOf() string {
	var names []string
	for _, line := range e.all() {
		if words := strings.Fields(line); words[0] == "Deleted" {
			names = append(names, words[1])
		}
	}
	return strings.Join(names, " ")
}

// TestWhatAListLacksMayExist has a first list without b, which exists: nobody could read it. A card that is certainly gone is told.
func TestWhatAListLacksMayExist(t *testing.T) {
	unreadable := errors.New("as the test wants it")
	then, now := hand{"a": {"a", "u", "1"}, "b": {"b", "v", "2"}, "c": {"c", "w", "3"}}, hand{"a": {"a", "u", "1"}}
	withB := hand{"a": now["a"], "b": {"b", "v", "7"}}
	refused := func(c card) (card, error) {
		if c.name == "b" && c.version == "7" {
			return c, unreadable
		}
		return c, nil
	}
	added := func(c card) *listwatch.Event[card] {
		return &listwatch.Event[card]{Delta: delta.Delta[card]{Op: delta.Added, New: c, Version: c.version}}
	}
	for name, tt := range map[string]struct {
		lists     hand
		broken    error
		transform func(card) (card, error)
		then      *listwatch.Event[card] // comes before the subscriber
		meanwhile *listwatch.Event[card] // comes while what was saved is read
		want      string
	}{
		"it is not there":                        {lists: now, want: "b c"},
		"a transform refuses it":                 {lists: withB, transform: refused, want: "c"},
		"it can't be decoded":                    {lists: now, broken: listwatch.WithKey(unreadable, delta.Key{Name: "b"}), want: "c"},
		"it can't be decoded, nor its name":      {lists: now, broken: unreadable},
		"an event can't be decoded":              {lists: now, then: &listwatch.Event[card]{Err: unreadable}},
		"a state is refused, and the next taken": {lists: withB, transform: refused, meanwhile: added(card{"b", "v", "1001"}), want: "c"},
		"it comes again meanwhile":               {lists: now, meanwhile: added(card{"b", "x", "1001"}), want: "b c"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				reads, from := 0, &dealer{has: make(chan hand, 1)}
				from.events = make(chan listwatch.Event[card], 2)
				if tt.broken != nil {
					from.broken = []error{tt.broken}
				}
				opts := pastOptions(then, &reads)
				opts.Transform = tt.transform
				i := New[card](from, opts)
				start(t, i)
				from.has <- tt.lists
				<-i.Synced()
				if tt.then != nil {
					from.events <- *tt.then
				}
				synctest.Wait()
				e, s := subscribed(t, i.SubscribeComparing)
				synctest.Wait() // it reads
				if tt.meanwhile != nil {
					from.events <- *tt.meanwhile
				}
				<-s.Synced()
				synctest.Wait()
				if got := e.goneOf(); got != tt.want {
					t.Errorf("told that %q are gone, want %q", got, tt.want)
				}
			})
		})
	}
}

// compared is somebody who has heard how the first list differs from the cards that were saved.
func compared(t *testing.T, then, now hand) *ear {
	t.Helper()
	reads, from := 0, &dealer{has: make(chan hand, 1)}
	i := pastInformer(from, then, &reads)
	e, s := subscribed(t, i.SubscribeComparing)
	start(t, i)
	from.has <- now
	<-s.Synced()
	return e
}

// TestAListThatIsOlderThanWhatWasSaved has a server that is behind: its list is of version 1000. A card that was saved later may exist.
func TestAListThatIsOlderThanWhatWasSaved(t *testing.T) {
	for name, tt := range map[string]struct {
		then, now hand
		want      []string
	}{
		"it is not in the list": {
			hand{"b": {"b", "v", "2000"}}, hand{"a": {"a", "u", "1"}},
			[]string{"Added a {  } {a u 1}"},
		},
		"an earlier one of its name is": {
			hand{"b": {"b", "v", "2000"}}, hand{"b": {"b", "u", "1"}},
			[]string{"Added b {  } {b u 1}"},
		},
		"it was saved at the list's version": {
			hand{"b": {"b", "v", "1000"}}, hand{},
			[]string{"Deleted b {b v 1000} {  }"},
		},
		"its version has no order": {
			hand{"b": {"b", "v", "x2000"}}, hand{},
			[]string{"Deleted b {b v x2000} {  }"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := compared(t, tt.then, tt.now)
				if got := e.all(); !slices.Equal(got, tt.want) {
					t.Errorf("told %q, want %q", got, tt.want)
				}
			})
		})
	}
}

// TestWhatWasSavedIsOfTheScopesThatThereWere has a scope come or go. Then the saved objects are not those of the scopes, so a
// subscriber that comes afterwards is told what there is.
func TestWhatWasSavedIsOfTheScopesThatThereWere(t *testing.T) {
	then := hand{"p/a": {"p/a", "u", "1"}, "p/b": {"p/b", "v", "2"}}
	now := map[string]hand{"p": {"p/a": {"p/a", "u", "1"}}, "q": {"q/c": {"q/c", "w", "3"}}}
	scope := func(namespace string) Scope[card] {
		from := &dealer{has: make(chan hand, 1)}
		from.has <- now[namespace]
		return Scope[card]{Namespace: namespace, ListWatcher: from}
	}
	add := func(i *Informer[card], namespace string) error { return i.AddScope(scope(namespace)) }
	remove := func(i *Informer[card], namespace string) error { return i.RemoveScope(namespace, informer.Silently) }
	for name, tt := range map[string]struct {
		before func(*Informer[card]) error // it runs
		after  func(*Informer[card]) error
		want   []string
	}{
		"none":                       {want: want(then, now["p"])},
		"another comes":              {after: func(i *Informer[card]) error { return add(i, "q") }, want: want(nil, hand{"p/a": now["p"]["p/a"], "q/c": now["q"]["q/c"]})},
		"another takes its place":    {after: func(i *Informer[card]) error { return errors.Join(add(i, "q"), remove(i, "p")) }, want: want(nil, now["q"])},
		"another takes it before":    {before: func(i *Informer[card]) error { return errors.Join(add(i, "q"), remove(i, "p")) }, want: want(nil, now["q"])},
		"it leaves":                  {after: func(i *Informer[card]) error { return remove(i, "p") }},
		"it leaves and comes back":   {after: func(i *Informer[card]) error { return errors.Join(remove(i, "p"), add(i, "p")) }, want: want(nil, now["p"])},
		"one that overlaps can't be": {after: func(i *Informer[card]) error { return isOverlap(add(i, "p")) }, want: want(then, now["p"])},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				reads := 0
				i, err := NewScoped([]Scope[card]{scope("p")}, pastOptions(then, &reads))
				if err == nil && tt.before != nil {
					err = tt.before(i)
				}
				if err != nil {
					t.Fatal(err)
				}
				start(t, i)
				<-i.Synced()
				if tt.after != nil {
					if err := tt.after(i); err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(time.Minute)
				e, s := subscribed(t, i.SubscribeComparing)
				<-s.Synced()
				if got := e.all(); !slices.Equal(got, tt.want) {
					t.Errorf("told %q, want %q", got, tt.want)
				}
			})
		})
	}
}

func isOverlap(err error) error {
	if errors.Is(err, ErrOverlap) {
		return nil
	}
	return errors.New("the scope was added")
}

// TestAScopeGoesWhileWhatWasSavedIsRead removes the scope after a subscriber has come. He is told nothing of what was saved.
func TestAScopeGoesWhileWhatWasSavedIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reads, from := 0, &dealer{has: make(chan hand, 1)}
		i := pastInformer(from, hand{"b": {"b", "v", "2"}}, &reads)
		start(t, i)
		from.has <- hand{"a": {"a", "u", "1"}}
		<-i.Synced()
		e, s := subscribed(t, i.SubscribeComparing)
		synctest.Wait() // it reads
		if err := i.RemoveScope("", informer.Silently); err != nil {
			t.Fatal(err)
		}
		<-s.Synced()
		if got, want := e.all(), []string{"Added a {  } {a u 1}"}; !slices.Equal(got, want) {
			t.Errorf("told %q, want %q", got, want)
		}
	})
}

// TestAnObjectWithoutAUIDMayBeTheSame has a transform, then or now, that takes the UID away. Who cleans up after a deletion would
// destroy what exists.
func TestAnObjectWithoutAUIDMayBeTheSame(t *testing.T) {
	with, without := hand{"a": {"a", "u", "1"}}, hand{"a": {"a", "", "1"}}
	for name, tt := range map[string]struct{ then, now hand }{"then": {without, with}, "now": {with, without}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := compared(t, tt.then, tt.now)
				synctest.Wait()
				if got := e.goneOf(); got != "" {
					t.Errorf("told that %q are gone: %q", got, e.all())
				}
			})
		})
	}
}

package engine

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/delta-runtime/delta-runtime/internal/listwatch"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
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

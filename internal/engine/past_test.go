package engine

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/internal/engine/store"
	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// card is an object with a UID.
type card struct{ name, uid, version string }

var cardTraits = store.Traits[card]{
	Key:     func(c card) (delta.Key, error) { return delta.ParseKey(c.name), nil },
	Version: func(c card) string { return c.version },
	UID:     func(c card) string { return c.uid },
	Labels:  func(card) map[string]string { return nil },
}

// hand is some cards by their names.
type hand map[string]card

// change makes a few things happen to the cards.
func (h hand) change(rng *rand.Rand, number *int) {
	for range rng.IntN(8) {
		*number++
		name, version := string(rune('a'+rng.IntN(6))), fmt.Sprint(*number)
		before, there := h[name]
		switch {
		case there && rng.IntN(3) == 0:
			delete(h, name)
		case there && rng.IntN(4) > 0:
			h[name] = card{name, before.uid, version}
		default:
			h[name] = card{name, "uid" + version, version}
		}
	}
}

// want says how each card of now differs from then. It is written without the code that it judges.
func want(then, now hand) []string {
	var all []string
	for name, c := range now {
		before, known := then[name]
		switch {
		case known && before == c:
			all = append(all, fmt.Sprintf("Sync %s %v %v", name, c, c))
		case known && before.uid == c.uid:
			all = append(all, fmt.Sprintf("Updated %s %v %v", name, before, c))
		default:
			all = append(all, fmt.Sprintf("Added %s %v %v", name, card{}, c))
		}
	}
	for name, c := range then {
		if now[name].uid != c.uid {
			all = append(all, fmt.Sprintf("Deleted %s %v %v", name, c, card{}))
		}
	}
	slices.Sort(all)
	return all
}

// ear is a subscriber. It notes every delta.
type ear struct {
	mu   sync.Mutex
	told []string
	odd  []delta.Delta[card] // that are not marked as what is told of the past
}

func (e *ear) hear(d *delta.Delta[card]) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.told = append(e.told, fmt.Sprintf("%s %s %v %v", d.Op, d.Key, d.Old, d.New))
	if !d.Initial || d.Origin == nil || !d.Origin.Remembered || d.Missed != (d.Op == delta.Deleted) {
		e.odd = append(e.odd, *d)
	}
}

func (e *ear) all() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Sorted(slices.Values(e.told))
}

// dealer is a server that lists one hand as soon as it has it.
type dealer struct {
	written[card]

	has    chan hand
	broken []error // of cards that it can't show
}

func (d *dealer) List(ctx context.Context, _ metav1.ListOptions) (listwatch.Page[card], error) {
	select {
	case h := <-d.has:
		return listwatch.Page[card]{Items: slices.Collect(maps.Values(h)), Version: "1000", Broken: d.broken}, nil
	case <-ctx.Done():
		return listwatch.Page[card]{}, ctx.Err()
	}
}

// pastInformer returns an informer for the dealer's cards, and what was saved of them then.
func pastInformer(from *dealer, then hand, reads *int) *Informer[card] {
	return New[card](from, pastOptions(then, reads))
}

func pastOptions(then hand, reads *int) Options[card] {
	return Options[card]{
		Name: "cards", Traits: cardTraits,
		Saved: func(has func(delta.Key) (card, bool)) map[delta.Key]card {
			*reads++
			time.Sleep(time.Second) // others wait meanwhile
			if then == nil {
				return nil
			}
			saved := map[delta.Key]card{}
			for name, c := range then {
				if present, there := has(delta.ParseKey(name)); there && present == c {
					c = present
				}
				saved[delta.ParseKey(name)] = c
			}
			return saved
		},
		Reflector: reflector.Options[card]{Settings: informer.Settings{Lists: informer.PagesOnly}},
	}
}

func subscribed(t *testing.T, subscribe func(func(*delta.Delta[card]), informer.SubscribeOptions) (*Subscription[card], error)) (*ear, *Subscription[card]) {
	t.Helper()
	e := &ear{}
	s, err := subscribe(e.hear, informer.SubscribeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return e, s
}

// TestWhatHasChangedSince compares random states with random states that were saved of them. Subscribers that come before the list and
// after it are told the same, and those who do not compare hear nothing of it.
func TestWhatHasChangedSince(t *testing.T) {
	seeds.Run(t, 200, func(t *testing.T, rng *rand.Rand) {
		synctest.Test(t, func(t *testing.T) {
			number, reads, now := 0, 0, hand{}
			now.change(rng, &number)
			then := maps.Clone(now)
			now.change(rng, &number)
			from := &dealer{has: make(chan hand, 1)}
			i := pastInformer(from, then, &reads)
			early, first := subscribed(t, i.SubscribeComparing)
			plain, _ := subscribed(t, i.Subscribe)
			start(t, i)
			late := [2]*ear{}
			late[0], _ = subscribed(t, i.SubscribeComparing)
			time.Sleep(time.Minute)
			if told := early.all(); len(told) > 0 {
				t.Errorf("told before there is a list: %v", told)
			}
			from.has <- now
			<-first.Synced()
			late[1], _ = subscribed(t, i.SubscribeComparing)
			synctest.Wait()
			time.Sleep(time.Minute)
			for who, e := range map[string]*ear{"early": early, "before the list": late[0], "late": late[1]} {
				if got := e.all(); !slices.Equal(got, want(then, now)) || len(e.odd) > 0 {
					t.Errorf("%s: %v became %v: told\n%q, want\n%q (oddly marked: %v)", who, then, now, got, want(then, now), e.odd)
				}
			}
			if got := plain.all(); !slices.Equal(got, want(nil, now)) {
				t.Errorf("who does not compare is told %q", got)
			}
			if reads != 1 {
				t.Errorf("what was saved was read %d times", reads)
			}
		})
	})
}

// TestThePastIsForgotten sees that who comes after that is told what there is, and that nothing is compared if nothing was saved.
func TestThePastIsForgotten(t *testing.T) {
	now := hand{"a": {"a", "u", "1"}}
	for name, then := range map[string]hand{"forgotten": {"b": {"b", "v", "1"}}, "nothing saved": nil} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				reads := 0
				from := &dealer{has: make(chan hand, 1)}
				i := pastInformer(from, then, &reads)
				start(t, i)
				from.has <- now
				<-i.Synced()
				if then != nil {
					i.ForgetSaved()
				}
				synctest.Wait()
				e, s := subscribed(t, i.SubscribeComparing)
				<-s.Synced()
				if got := e.all(); !slices.Equal(got, want(nil, now)) || len(e.odd) != 1 || e.odd[0].Origin != nil {
					t.Errorf("told %q, want what there is (marked: %v)", got, e.odd)
				}
			})
		})
	}
}

package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/internal/testing/faulty"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// refusing is a transform that takes nothing called b at a version past the limit.
func refusing(limit string) func(faulty.Thing) (faulty.Thing, error) {
	return func(obj faulty.Thing) (faulty.Thing, error) {
		if obj.Name == "b" && reflector.Older(limit, obj.Version) {
			return faulty.Thing{}, errors.New("cannot be transformed")
		}
		return obj, nil
	}
}

// An object that a transform refuses is there nevertheless, and the list that it is
// in says what is not there.
func TestRefusedObjectKeepsNoPhantoms(t *testing.T) {
	for _, lists := range []informer.ListMode{informer.StreamFirst, informer.PagesOnly} {
		for _, limit := range []string{"0", "8"} { // b is at 8: it is refused from the start, or later
			t.Run(fmt.Sprint("lists=", lists, ",after=", limit), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { refuseAndRelist(t, lists, limit) })
			})
		}
	}
}

func refuseAndRelist(t *testing.T, lists informer.ListMode, limit string) {
	t.Helper()
	server, skipped := faultless(t), atomic.Uint64{}
	i := New[faulty.Thing](server, Options[faulty.Thing]{
		Name: "things", Traits: thingTraits, Transform: refusing(limit),
		Reflector: reflector.Options[faulty.Thing]{
			Settings: informer.Settings{Lists: lists},
			OnSkip:   func(context.Context, error) { skipped.Add(1) },
		},
	})
	start(t, i)
	<-i.Synced()
	server.Untold(func() {
		server.Remove("c")
		server.Put("b")
	})
	if err := i.Relist(t.Context()); err != nil { // the one turn to list has come back
		t.Error(err)
	}
	_, phantom := lookUp(i, "c")
	if phantom {
		t.Error("what is gone is still there")
	}
	if b, there := lookUp(i, "b"); there != (limit == "8") || there && b.Version != "8" {
		t.Errorf("b is %v (there: %t), want its last good state", b, there)
	}
	n, status := skipped.Load(), i.Status().Reflector
	if n == 0 || i.Gaps() != n || status.Skipped != int(n) || !strings.Contains(status.LastSkipped.Error(), "b") {
		t.Errorf("%d objects were skipped, which are %d gaps, and the status says %d, the last %v", n, i.Gaps(), status.Skipped, status.LastSkipped)
	}
	listed := i.Status().Reflector.ListedAt
	time.Sleep(time.Hour)
	if again := i.Status().Reflector.ListedAt; !again.Equal(listed) {
		t.Errorf("listed again after %v, as if something had been missed", again.Sub(listed))
	}
}

func lookUp(i *Informer[faulty.Thing], name string) (faulty.Thing, bool) {
	key, _ := faulty.KeyOf(faulty.Thing{Name: name})
	return i.Store().Get(key)
}

// The deletion of an object that cannot be transformed is a deletion all the same.
func TestDeletionThatATransformRefusesIsNotLost(t *testing.T) {
	h := newHandFed(t, Options[note]{Transform: func(n note) (note, error) {
		if n.text == "poison" {
			return n, errors.New("cannot be transformed")
		}
		return n, nil
	}})
	h.list(reflector.Replacement{Version: "5"}, note{"a", "1", "x"})
	h.apply()
	if err := h.in.Push(delta.Delta[note]{Op: delta.Deleted, New: note{"a", "7", "poison"}, Version: "7"}, "7"); err == nil {
		t.Error("nobody is told that the final state could not be transformed")
	}
	if err := h.in.Push(delta.Delta[note]{Op: delta.Deleted, New: note{"b", "8", "poison"}, Version: "8"}, "8"); err == nil {
		t.Error("nobody is told of what could not be transformed")
	}
	events := h.apply()
	if len(events) != 1 || events[0].Op != delta.Deleted || !events[0].Missed || events[0].Old.text != "x" {
		t.Errorf("told %+v, want a missed deletion with the last known state", events)
	}
	if h.Store().Len() != 0 || h.Store().Version() != "8" {
		t.Errorf("%d objects are left at version %s", h.Store().Len(), h.Store().Version())
	}
}

// A panic that the guard recovers costs a list, wherever it was: nothing stays open,
// no turn to list is lost, and a list that is wanted comes.
func TestGuardedReflectorListsAgain(t *testing.T) {
	for _, lists := range []informer.ListMode{informer.StreamFirst, informer.PagesOnly} {
		for _, at := range []string{"a", "d"} { // a is listed first, d comes by the watch
			t.Run(fmt.Sprint("lists=", lists, ",at=", at), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { panicAt(t, lists, at) })
			})
		}
	}
}

func panicAt(t *testing.T, lists informer.ListMode, at string) {
	t.Helper()
	server, limiter, panics := faultless(t), reflector.NewLimiter(1), 0
	i := New[faulty.Thing](server, Options[faulty.Thing]{
		Name: "things", Traits: thingTraits,
		Transform: func(obj faulty.Thing) (faulty.Thing, error) {
			if obj.Name == at && panics == 0 {
				panic("boom")
			}
			return obj, nil
		},
		Reflector: reflector.Options[faulty.Thing]{
			Settings: informer.Settings{Lists: lists}, Limiter: limiter,
			Guard: func(_ context.Context, cycle func()) {
				defer func() {
					if recover() != nil {
						panics++
					}
				}()
				cycle()
			},
		},
	})
	stop := start(t, i)
	time.Sleep(time.Second / 2)
	server.Put("d")
	synctest.Wait()
	if status := i.Status().Reflector; panics != 1 || !errors.Is(status.LastError, reflector.ErrPanicked) {
		t.Errorf("after %d panics the status is %+v", panics, status)
	}
	if err := i.Relist(t.Context()); err != nil { // the one turn to list has come back
		t.Error(err)
	}
	time.Sleep(time.Minute)
	if n := i.Store().Len(); n != 4 || i.Status().Reflector.State != reflector.Following {
		t.Errorf("%d objects in the store, %s", n, i.Status().Reflector.Why)
	}
	stop()
	if server.Watches() != 0 {
		t.Errorf("%d watches are open after the end", server.Watches())
	}
}

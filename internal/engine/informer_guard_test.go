package engine

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/reflector"
	"github.com/delta-runtime/delta-runtime/internal/testing/faulty"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

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
	if err := i.Relist(t.Context()); err != nil {
		t.Error(err)
	}
	time.Sleep(time.Minute)
	if n := i.Store().Len(); n != 4 || i.Status().Reflector.State != reflector.Following {
		t.Errorf("%d objects in the store, %s", n, i.Status().Reflector.Why)
	}
	stop()
	if server.Watches() != 0 || limiter.Taken() != 0 {
		t.Errorf("%d watches are open and %d turns taken after the end", server.Watches(), limiter.Taken())
	}
}

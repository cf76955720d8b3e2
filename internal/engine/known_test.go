package engine

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/reflector"
	"github.com/delta-runtime/delta-runtime/internal/testing/faulty"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// A transform may leave nothing of an object that names it: the queue and the store
// know the key from before.
func TestTransformMayLeaveNoKey(t *testing.T) {
	for _, lists := range []informer.ListMode{informer.PagesOnly, informer.StreamFirst} {
		synctest.Test(t, func(t *testing.T) {
			opts := Options[faulty.Thing]{
				Transform: func(obj faulty.Thing) (faulty.Thing, error) { return faulty.Thing{Version: obj.Version}, nil },
				Reflector: reflector.Options[faulty.Thing]{Settings: informer.Settings{Lists: lists}},
			}
			p := scopeOf(t, reach{namespace: "p"})
			i := newScoped(t, opts, p, scopeOf(t, reach{except: []string{"p"}}))
			start(t, i)
			time.Sleep(time.Minute)
			if !i.HasSynced() {
				t.Error("not synced after a minute: ", i.Status().Reflector.Why)
			}
			server := p.ListWatcher.(province).Server
			server.Untold(func() { server.Remove("a") })
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if err := i.Relist(ctx); err != nil {
				t.Error(err)
			}
			if _, there := i.Store().Get(delta.ParseKey("p/a")); there || i.Store().Len() != 5 {
				t.Errorf("%d objects are left, p/a among them: %t", i.Store().Len(), there)
			}
			if err := i.RemoveScope("p", informer.Silently); err != nil || i.Store().Len() != 3 {
				t.Errorf("%d objects are left without p, %v", i.Store().Len(), err)
			}
		})
	}
}

package engine

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"

	"github.com/delta-runtime/delta-runtime/internal/testing/faulty"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// A handler that does not return delays neither the store nor another handler, nor
// somebody who subscribes meanwhile. Nothing here sleeps, so nothing can be late
// and catch up.
func TestBlockedHandlerDelaysNobody(t *testing.T) {
	withInformer(t, Options[faulty.Thing]{}, func(i *Informer[faulty.Thing], server *faulty.Server) {
		release := make(chan struct{})
		blocked := subscribe(t, i, func(*delta.Delta[faulty.Thing]) { <-release })
		steady, late := map[delta.Key]faulty.Thing{}, map[delta.Key]faulty.Thing{}
		follow := func(world map[delta.Key]faulty.Thing) func(*delta.Delta[faulty.Thing]) {
			return func(d *delta.Delta[faulty.Thing]) {
				if d.Op == delta.Deleted {
					delete(world, d.Key)
				} else {
					world[d.Key] = d.New
				}
			}
		}
		subscribe(t, i, follow(steady))
		synctest.Wait()
		rng := rand.New(rand.NewPCG(3, 3))
		for n := range 100 {
			if n == 50 {
				subscribe(t, i, follow(late))
			}
			server.Change(rng)
			synctest.Wait()
			if got, want := i.Store().Version(), server.At(); got != want {
				t.Fatalf("the store is at %s, the server at %s", got, want)
			}
			for name, world := range map[string]map[delta.Key]faulty.Thing{"steady": steady, "late": late} {
				if (name == "steady" || n >= 50) && len(world) != i.Store().Len() {
					t.Fatalf("after change %d the %s handler knows %v, the store has %v", n, name, world, i.Store().List())
				}
			}
		}
		select {
		case <-blocked.Synced():
			t.Error("the blocked handler has synced")
		default:
		}
		close(release)
	})
}

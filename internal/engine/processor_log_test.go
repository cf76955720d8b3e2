package engine

import (
	"runtime"
	"testing"
	"testing/synctest"
	"weak"

	"github.com/go-logr/logr"

	"github.com/delta-runtime/delta-runtime/internal/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/store"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// What every subscriber has been told is garbage, and so is what a subscriber has
// not been told once it has left, even if its handler never returns.
func TestTheLogIsGarbageBehindTheSlowest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcessor(&store.Traits[*part]{}, logr.Discard())
		g := lifecycle.New(t.Context())
		release := make(chan struct{})
		slow := p.newSubscriber(informer.SubscribeOptions{}, func(*delta.Delta[*part]) { <-release })
		quick := p.newSubscriber(informer.SubscribeOptions{}, func(*delta.Delta[*part]) {})
		for _, l := range []*subscriber[*part]{slow, quick} {
			p.join(l, nil)
			g.Guest("", l.run)
		}
		var objects []weak.Pointer[part]
		for range 4 {
			o := &part{uid: "a fresh allocation"}
			objects = append(objects, weak.Make(o))
			p.publish([]event[*part]{{Delta: delta.Delta[*part]{Op: delta.Added, New: o}}})
			synctest.Wait()
		}
		alive := func() (n int) {
			runtime.GC()
			for _, o := range objects {
				if o.Value() != nil {
					n++
				}
			}
			return n
		}
		if n := alive(); n != 4 {
			t.Errorf("%d objects are kept, want all: the slow subscriber has not been told", n)
		}
		p.leave(slow)
		if n := alive(); n > 1 { // the one in the slow handler's hands
			t.Errorf("%d objects are kept for a subscriber that left", n)
		}
		close(release)
		synctest.Wait()
		if n := alive(); n > 0 {
			t.Errorf("%d objects are kept for nobody", n)
		}
		p.stop()
		g.Stop()
		_ = g.Wait()
	})
}

package engine

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/go-logr/logr"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/engine/store"
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
			p.publish(time.Now(), []event[*part]{{Delta: delta.Delta[*part]{Op: delta.Added, New: o}}})
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
		g.Stop()
		_ = g.Wait()
	})
}

// The bell can be rung before, while and after the sleeper makes up its mind.
func TestBellIsHeardWheneverItRings(t *testing.T) {
	tests := map[string]func(b *bell, something *bool){
		"before it lies down": func(b *bell, something *bool) {
			*something = true
			b.ring()
			b.sleepUnless(func() bool { return *something })
		},
		"before it looks": func(b *bell, something *bool) {
			b.sleepUnless(func() bool {
				*something = true
				b.ring()
				return *something
			})
		},
		"after it has looked": func(b *bell, something *bool) {
			b.sleepUnless(func() bool {
				found := *something
				*something = true
				b.ring()
				return found
			})
		},
		"when it sleeps": func(b *bell, something *bool) {
			go func() {
				synctest.Wait()
				*something = true
				b.ring()
			}()
			b.sleepUnless(func() bool { return false })
		},
	}
	for name, rings := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, something := newBell(), false
				for range 3 { // what one time leaves behind, the next would trip over
					something = false
					rings(&b, &something)
					if !something {
						t.Error("woke up for nothing")
					}
					b.ring()
					b.ring()
					if len(b.token) != 0 {
						t.Error("ringing for nobody leaves a token")
					}
				}
			})
		})
	}
}

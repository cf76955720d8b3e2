package engine

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/internal/engine/store"
	"github.com/delta-runtime/delta-runtime/internal/testing/faulty"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// leaver is a server whose second list ends the goroutine that asks for it, as a
// failed assertion of a test does.
type leaver struct {
	*faulty.Server
	lists int
}

func (l *leaver) List(ctx context.Context, opts metav1.ListOptions) (listwatch.Page[faulty.Thing], error) {
	if l.lists++; l.lists == 2 {
		runtime.Goexit()
	}
	return l.Server.List(ctx, opts)
}

// A Reflector whose goroutine has gone is no Reflector that is in step.
func TestGoexitIsACrash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := New[faulty.Thing](&leaver{Server: faultless(t)}, Options[faulty.Thing]{
			Name: "things", Traits: thingTraits,
			Reflector: reflector.Options[faulty.Thing]{Settings: informer.Settings{Lists: informer.PagesOnly}},
		})
		g := lifecycle.New(t.Context())
		var crash any
		g.Guest("informer", func(ctx context.Context) {
			defer func() { crash = recover() }()
			_ = i.Run(ctx)
		})
		<-i.Synced()
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if err := i.Relist(ctx); err == nil {
			t.Error("Relist says that there is a new list")
		}
		synctest.Wait()
		if _, ok := crash.(*lifecycle.Crash); !ok {
			t.Errorf("Run ended with %v, want a crash", crash)
		}
		if state := i.Status().Reflector.State; state != reflector.Stopped {
			t.Errorf("the Reflector is said to be %v: %s", state, i.Status().Reflector.Why)
		}
		g.Stop()
		_ = g.Wait()
	})
}

// TestAPanicAnswersThoseInTheSameBatch has an index function panic in the batch in which somebody adds another index. That one does not
// wait for ever.
func TestAPanicAnswersThoseInTheSameBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, open := faultless(t), make(chan struct{})
		i := New[faulty.Thing](server, Options[faulty.Thing]{
			Name: "things", Traits: thingTraits,
			Reflector: reflector.Options[faulty.Thing]{Settings: informer.Settings{Lists: informer.PagesOnly}},
			Indexers: store.Indexers[faulty.Thing]{"bad": func(o faulty.Thing) ([]string, error) {
				switch key, _ := faulty.KeyOf(o); key.Name {
				case "waits":
					<-open
				case "panics":
					panic("as the test wants it")
				}
				return nil, nil
			}},
		})
		g, crashed := lifecycle.New(t.Context()), false
		g.Guest("informer", func(ctx context.Context) {
			defer func() { crashed = recover() != nil }()
			_ = i.Run(ctx)
		})
		<-i.Synced()
		server.Put("waits")
		time.Sleep(time.Minute)
		server.Put("panics")
		time.Sleep(time.Minute)
		answer := make(chan error, 1)
		g.Guest("somebody", func(context.Context) {
			answer <- i.AddIndexers(store.Indexers[faulty.Thing]{"name": func(faulty.Thing) ([]string, error) { return nil, nil }})
		})
		synctest.Wait()
		close(open)
		if err := <-answer; err != nil { // the store is there, and nobody else writes it
			t.Errorf("who adds an index is told %v", err)
		}
		synctest.Wait()
		if !crashed {
			t.Error("the informer goes on")
		}
		g.Stop()
		_ = g.Wait()
	})
}

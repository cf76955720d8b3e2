package engine

import (
	"context"
	"errors"
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/internal/testing/faulty"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// calm is a server with one thing in a namespace, on which nothing happens.
type calm string

func (c calm) List(context.Context, metav1.ListOptions) (listwatch.Page[faulty.Thing], error) {
	return listwatch.Page[faulty.Thing]{Version: "7", Items: []faulty.Thing{{Name: string(c) + "/a", Version: "7"}}}, nil
}

func (c calm) Watch(context.Context, metav1.ListOptions) (listwatch.Stream[faulty.Thing], error) {
	return c, nil
}

func (calm) Next(ctx context.Context) (listwatch.Event[faulty.Thing], error) {
	<-ctx.Done()
	return listwatch.Event[faulty.Thing]{}, ctx.Err()
}

func (calm) Close() {}

// Scopes come and go by several hands, and are read meanwhile, while the informer
// runs and ends. A read that is answered is answered right.
func TestScopesRace(t *testing.T) {
	for round := range 50 {
		i := newScoped(t, Options[faulty.Thing]{Reflector: reflector.Options[faulty.Thing]{Settings: informer.Settings{Lists: informer.PagesOnly}}},
			Scope[faulty.Thing]{Namespace: "p", ListWatcher: calm("p")})
		subscribe(t, i, func(*delta.Delta[faulty.Thing]) {})
		run, hands := lifecycle.New(t.Context()), lifecycle.New(t.Context())
		run.Go("informer", i.Run)
		for n := range 3 {
			namespace := fmt.Sprint("n", n%2)
			hands.Guest("change", func(context.Context) {
				for step := range 20 {
					if step == 10+round%5 && n == 0 {
						run.Stop()
					}
					err := i.AddScope(Scope[faulty.Thing]{Namespace: namespace, ListWatcher: calm(namespace)})
					if err != nil && !errors.Is(err, ErrOverlap) && !errors.Is(err, ErrStopped) {
						t.Error(err)
					}
					if err := i.RemoveScope(namespace, informer.Removal(1+step%2)); err != nil && !errors.Is(err, informer.ErrNotCovered) {
						t.Error(err)
					}
				}
			})
			hands.Guest("read", func(context.Context) {
				for range 500 {
					c := i.coverage.Load()
					err := i.SyncedIn(namespace)
					if _, there := i.Store().Get(delta.Key{Namespace: namespace, Name: "a"}); err == nil && !there && i.coverage.Load() == c {
						t.Error("what is there can't be read, and its scope is synced")
					}
					if err != nil && !errors.Is(err, informer.ErrNotCovered) && !errors.Is(err, informer.ErrNotSynced) {
						t.Error(err)
					}
					_ = i.Status()
				}
			})
		}
		hands.Guest("end", func(context.Context) { _ = run.Wait() })
		waitForGuests(hands)
		if n := len(i.coverage.Load().scopes); n != 1 {
			t.Errorf("%d scopes are left, want p alone", n)
		}
		for _, obj := range i.Store().List() {
			if obj.Name != "p/a" {
				t.Errorf("%s is left in the store", obj)
			}
		}
	}
}

// waitForGuests waits until all have returned by themselves.
func waitForGuests(g *lifecycle.Group) {
	g.Stop()
	_ = g.Wait()
}

package engine

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/internal/engine/store"
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

// The function that is told of a mutation may call the informer.
func TestOnMutationMayCallTheInformer(t *testing.T) {
	type doc struct{ Name, Text string }
	synctest.Test(t, func(t *testing.T) {
		first := &doc{"a", "x"}
		server := &written[*doc]{page: listwatch.Page[*doc]{Version: "1", Items: []*doc{first}}, events: make(chan listwatch.Event[*doc])}
		var i *Informer[*doc]
		called := 0
		i = New[*doc](server, Options[*doc]{
			Name: "docs",
			Traits: store.Traits[*doc]{
				Key:     func(d *doc) (delta.Key, error) { return delta.Key{Name: d.Name}, nil },
				Version: func(*doc) string { return "" },
				UID:     func(*doc) string { return "" },
				Labels:  func(*doc) map[string]string { return nil },
			},
			Mutations: MutationOptions{Objects: 1},
			OnMutation: func(m informer.Mutation) {
				called++
				name := fmt.Sprint("found ", called)
				if err := i.AddIndexers(store.Indexers[*doc]{name: func(d *doc) ([]string, error) { return []string{d.Text}, nil }}); err != nil {
					t.Error(err)
				}
				if err := i.Write(func(txn *store.Txn[*doc]) { txn.Remove(m.Key) }); err != nil {
					t.Error(err)
				}
				if _, err := i.Subscribe(func(*delta.Delta[*doc]) {}, informer.SubscribeOptions{}); err != nil {
					t.Error(err)
				}
			},
		})
		start(t, i)
		synctest.Wait()
		first.Text = "changed in place"
		for n := range 3 { // each pushes another one out of what is watched
			server.events <- listwatch.Event[*doc]{Delta: delta.Delta[*doc]{Op: delta.Added, New: &doc{Name: fmt.Sprint(n)}, Version: fmt.Sprint(n + 2)}}
			synctest.Wait()
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if _, there := i.Store().Get(delta.Key{Name: "a"}); called != 1 || there {
			t.Errorf("called %d times, and a is still there: %t", called, there)
		}
	})
}

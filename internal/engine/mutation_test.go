package engine

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/store"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

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

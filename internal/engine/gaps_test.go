package engine

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/internal/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/testing/faulty"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// TestAScopeThatComesLateIsAGap has a scope leave and come back, and a new one come. Nobody is told of what was deleted in one before
// its first list. So each first list is a gap, except those that subscribers have waited for. It is counted before subscribers are told
// of the list.
func TestAScopeThatComesLateIsAGap(t *testing.T) {
	withScopes(t, Options[faulty.Thing]{}, pAndQ, func(t *testing.T, i *Informer[faulty.Thing]) {
		var toldAt []uint64
		subscribe(t, i, func(*delta.Delta[faulty.Thing]) { toldAt = append(toldAt, i.Gaps()) })
		synctest.Wait()
		if n := i.Gaps(); n != 0 {
			t.Fatalf("a start is %d gaps", n)
		}
		if err := i.RemoveScope("p", informer.Silently); err != nil {
			t.Fatal(err)
		}
		for n, namespace := range []string{"p", "r"} {
			toldAt = nil
			if err := i.AddScope(scopeOf(t, reach{namespace: namespace})); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			synctest.Wait()
			want := uint64(n) + 2 // p has left, too
			if got := i.Gaps(); got != want || !slices.Equal(toldAt, []uint64{want, want, want}) {
				t.Errorf("when %s has come there are %d gaps, and its three objects were told after %v, want %d", namespace, got, toldAt, want)
			}
		}
	})
}

// barred is a server that refuses everything until it is opened.
type barred struct {
	listwatch.ListWatcher[faulty.Thing]
	open atomic.Bool
}

func (b *barred) List(ctx context.Context, opts metav1.ListOptions) (listwatch.Page[faulty.Thing], error) {
	if !b.open.Load() {
		return forbidden{}.List(ctx, opts)
	}
	return b.ListWatcher.List(ctx, opts)
}

func (b *barred) Watch(ctx context.Context, opts metav1.ListOptions) (listwatch.Stream[faulty.Thing], error) {
	if !b.open.Load() {
		return forbidden{}.Watch(ctx, opts)
	}
	return b.ListWatcher.Watch(ctx, opts)
}

// TestAKindThatIsFoundLateIsAGap has a kind come after subscribers have synced without it. Where they wait for it, nothing was missed.
func TestAKindThatIsFoundLateIsAGap(t *testing.T) {
	for ready, want := range map[Readiness]uint64{WhenSynced: 0, WhenSettled: 1} {
		server := &barred{}
		scopes := func(t *testing.T) []Scope[faulty.Thing] {
			t.Helper()
			server.ListWatcher = faultless(t)
			return []Scope[faulty.Thing]{{ListWatcher: server}}
		}
		withScopes(t, Options[faulty.Thing]{Ready: ready}, scopes, func(t *testing.T, i *Informer[faulty.Thing]) {
			s := subscribe(t, i, func(*delta.Delta[faulty.Thing]) {})
			synctest.Wait()
			if n := i.Gaps(); n != 0 || isClosed(s.Synced()) != (ready == WhenSettled) {
				t.Fatalf("ready %d: without the kind there are %d gaps, and the subscriber has synced: %t", ready, n, isClosed(s.Synced()))
			}
			server.open.Store(true)
			<-i.Synced()
			<-s.Synced()
			if n := i.Gaps(); n != want {
				t.Errorf("ready %d: when the kind has come there are %d gaps, want %d", ready, n, want)
			}
		})
	}
}

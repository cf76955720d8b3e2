package engine

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/testing/faulty"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// A subscriber whose backlog folds knew an object of a scope that went silently. When
// the scope is back it is told what becomes of the object, be it ever so far behind.
func TestSilentRemovalIsNoBirth(t *testing.T) {
	for _, behind := range []string{"before the removal", "after the removal"} {
		t.Run("behind "+behind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { removeSilently(t, behind == "before the removal") })
		})
	}
}

func removeSilently(t *testing.T, stuckFirst bool) {
	t.Helper()
	p, q := scopeOf(t, reach{namespace: "p"}), scopeOf(t, reach{namespace: "q"})
	i := newScoped(t, Options[faulty.Thing]{}, p, q)
	var told []string
	var stuck atomic.Bool
	step := make(chan struct{})
	opts := informer.SubscribeOptions{Name: "folding", Fold: true, HighWater: 1}
	sub, err := i.Subscribe(func(d *delta.Delta[faulty.Thing]) {
		if stuck.Load() {
			<-step
		}
		told = append(told, fmt.Sprint(d.Op, " ", d.Key))
	}, opts)
	if err != nil {
		t.Fatal(err)
	}
	g := lifecycle.New(t.Context())
	g.Go("informer", i.Run)
	<-sub.Synced()
	told = nil
	stick := func() {
		stuck.Store(true)
		q.ListWatcher.(province).Remove("a")
		synctest.Wait()
	}
	if stuckFirst {
		stick()
	}
	if err := i.RemoveScope("p", informer.Silently); err != nil {
		t.Fatal(err)
	}
	if !stuckFirst {
		synctest.Wait()
		stick()
	}
	back := scopeOf(t, reach{namespace: "p"})
	if err := i.AddScope(back); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second)
	back.ListWatcher.(province).Remove("a")
	synctest.Wait()
	q.ListWatcher.(province).Remove("b")
	q.ListWatcher.(province).Remove("c")
	synctest.Wait()
	close(step)
	synctest.Wait()
	if !slices.Contains(told, "Deleted p/a") {
		t.Errorf("told %q, and not that p/a is gone", told)
	}
	g.Stop()
	_ = g.Wait()
}

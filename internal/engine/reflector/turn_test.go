package reflector

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/testing/faulty"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// hush is a server that says nothing until it wakes, in the midst of each answer. Then it
// says the rest, bit by bit.
type hush struct {
	slowLister
	t     *testing.T
	awake <-chan struct{}
	flow  *atomic.Int32 // how many speak at the moment
}

// speak says one thing after another for a while, and reports false if it was cut short.
func (h *hush) speak(ctx context.Context, do func(i int)) bool {
	do(0)
	select {
	case <-h.awake:
	case <-ctx.Done():
		return false
	}
	do(1) // which waits for the turn
	if n := h.flow.Add(1); n > 2 {
		h.t.Errorf("%d lists are read at once", n)
	}
	for i := range 20 {
		time.Sleep(100 * time.Millisecond)
		do(2 + i)
	}
	h.flow.Add(-1)
	return true
}

func (h *hush) List(context.Context, metav1.ListOptions) (listwatch.Page[faulty.Thing], error) {
	panic("lists are read with Each")
}

func (h *hush) Each(ctx context.Context, _ metav1.ListOptions, do func(listwatch.Item[faulty.Thing])) (listwatch.Page[faulty.Thing], error) {
	if !h.speak(ctx, func(i int) {
		do(listwatch.Item[faulty.Thing]{Obj: faulty.Thing{Name: fmt.Sprint(i), Version: "1"}})
	}) {
		return listwatch.Page[faulty.Thing]{}, ctx.Err()
	}
	return listwatch.Page[faulty.Thing]{Version: "5"}, nil
}

// mute opens every watch and says nothing in it.
type mute struct{ hush }

func (m *mute) Watch(context.Context, metav1.ListOptions) (listwatch.Stream[faulty.Thing], error) {
	return m, nil
}

// A kind whose server is silent does not keep others from their turn. When the server speaks
// again, no more lists are read at once than may be.
func TestSilentKindsDelayNobody(t *testing.T) {
	for name, lists := range map[string]informer.ListMode{"pages": informer.PagesOnly, "streams": informer.StreamFirst} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { delayNobody(t, lists) })
		})
	}
}

func delayNobody(t *testing.T, lists informer.ListMode) {
	limiter := NewLimiter(2)
	g := lifecycle.New(t.Context())
	var flow, own atomic.Int32
	awake := make(chan struct{})
	start := func(lw listwatch.ListWatcher[faulty.Thing]) *Reflector[faulty.Thing] {
		opts := Options[faulty.Thing]{Limiter: limiter, Settings: informer.Settings{Lists: lists}}
		r := New(lw, &worldSink{t: t, world: map[string]string{}}, faulty.KeyOf, opts)
		g.Go("reflector", r.Run)
		synctest.Wait()
		return r
	}
	var silent []*Reflector[faulty.Thing]
	for i := range 10 {
		h := hush{t: t, awake: awake, flow: &flow}
		if i%2 == 0 {
			silent = append(silent, start(&mute{h}))
		} else {
			silent = append(silent, start(&h))
		}
	}
	ready := make(chan struct{})
	close(ready)
	healthy := start(&hush{t: t, awake: ready, flow: &own})
	time.Sleep(5 * time.Second)
	if s := healthy.Status(); !s.SyncedOnce {
		t.Errorf("ten silent kinds delay another: %s", s.Why)
	}
	close(awake)
	time.Sleep(10 * time.Minute)
	synctest.Wait()
	for i, r := range silent {
		if s := r.Status(); !s.SyncedOnce {
			t.Errorf("kind %d is not synced once its server speaks: %s", i, s.Why)
		}
	}
	g.Stop()
	if err := g.Wait(); err != nil || limiter.Taken() != 0 || limiter.Waiting() != 0 {
		t.Errorf("at the end: %v, taken %d, waiting %d", err, limiter.Taken(), limiter.Waiting())
	}
}

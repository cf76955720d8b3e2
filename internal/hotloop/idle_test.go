package hotloop

import (
	"runtime"
	"slices"
	"testing"
	"time"
	"weak"

	corev1 "k8s.io/api/core/v1"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
)

// TestAReadEndsNothing asks for the episodes when one is over, as a scrape does, before the next call.
func TestAReadEndsNothing(t *testing.T) {
	b := newBrawl(Options{})
	b.rounds(10, time.Second)
	b.now = b.now.Add(time.Hour)
	for range 2 {
		if all := b.watch.Episodes(b.now); len(all) != 1 || all[0].Ended.IsZero() || all[0].Ended.After(b.now) {
			t.Fatalf("after an hour the episodes are %+v", all)
		}
	}
	shown := b.watch.Episodes(b.now)[0]
	if b.quietly(time.Second); b.what != Over || b.episode.Ended != shown.Ended {
		t.Errorf("after a read the verdict is %d of %+v, and what was read %+v", b.what, b.episode, shown)
	}
	if all := b.watch.Episodes(b.now); len(all) != 1 {
		t.Errorf("at last there are %+v", all)
	}
}

// TestIdleRequestsAreLetGo has many requests that are called often, and then others.
func TestIdleRequestsAreLetGo(t *testing.T) {
	b := newBrawl(Options{})
	var pinned []weak.Pointer[corev1.Secret]
	for i := range 1000 {
		b.request, b.last = i, nil
		b.rounds(8, time.Second)
		pinned = append(pinned, weak.Make(b.last))
	}
	began := b.now
	b.request, b.last = -1, nil
	for b.now.Sub(began) < 3*time.Hour { // nothing happens but calls of one
		b.quietly(time.Minute)
	}
	if n := len(b.watch.requests.byRequest); n != 1 {
		t.Errorf("%d requests are watched", n)
	}
	await.Until(t, "all objects to be let go of requests that nobody calls", func() bool {
		runtime.GC()
		return !slices.ContainsFunc(pinned, func(p weak.Pointer[corev1.Secret]) bool { return p.Value() != nil })
	})
	runtime.KeepAlive(b)
}

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

// TestIdleRequestsAreLetGo has many requests that are called often, and then others.
func TestIdleRequestsAreLetGo(t *testing.T) {
	b := newBrawl(false)
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

//go:build slow

package engine

import (
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"

	"github.com/delta-runtime/delta-runtime/internal/lifecycle"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

func heapInUse() uint64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// blockedHeap is what the heap has grown by after n events. A subscriber that is blocked
// has been told the first one; the other subscriber hears all of them.
func blockedHeap(t *testing.T, fold bool, n int) (uint64, informer.SubscriberStatus) {
	t.Helper()
	p := newProcessor(payloadTraits(), logr.Discard())
	g := lifecycle.New(t.Context())
	release := make(chan struct{})
	var quick sync.WaitGroup
	quick.Add(n)
	slow := p.newSubscriber(informer.SubscribeOptions{Name: "slow", Fold: fold}, func(*delta.Delta[*payload]) { <-release })
	for _, l := range []*subscriber[*payload]{slow, p.newSubscriber(informer.SubscribeOptions{}, func(*delta.Delta[*payload]) { quick.Done() })} {
		p.join(l, nil)
		g.Guest("", l.run)
	}
	before := heapInUse()
	churn(p, n, func(*payload) {})
	quick.Wait() // the quick one is not kept waiting
	grown := heapInUse() - before
	status := slow.status(time.Now())
	close(release)
	p.stop()
	g.Stop()
	_ = g.Wait()
	return grown, status
}

// A subscriber that blocks while a million events pass costs, folding, what the
// objects are worth that it has yet to be told of; not folding, every event.
func TestBlockedSubscriberThatFoldsCostsBoundedMemory(t *testing.T) {
	const n = 1_000_000
	tenth, _ := blockedHeap(t, true, n/10)
	folding, status := blockedHeap(t, true, n)
	keeping, _ := blockedHeap(t, false, n/10)
	t.Logf("after %d events: folding %d kB (%d events to tell, %d folded); after %d: folding %d kB, keeping %d kB",
		n, folding>>10, status.Lag, status.Folded, n/10, tenth>>10, keeping>>10)
	if folding > 5<<20 || folding > tenth+tenth/4 {
		t.Errorf("folding, the heap grew by %d kB after %d events and %d kB after %d", tenth>>10, n/10, folding>>10, n)
	}
	if keeping < 5*tenth {
		t.Errorf("keeping, the heap grew by no more than %d kB: what was measured?", keeping>>10)
	}
	if most := uint64(4096 + 100 + 1000*maxPerKey + 100); status.Lag > most {
		t.Errorf("%d events to tell, want at most %d", status.Lag, most)
	}
}

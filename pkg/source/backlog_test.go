package source_test

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// A handler that is far behind is told all events, because each event may be for another
// request.
func TestAHandlerThatIsFarBehindMissesNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, server api, run func(func(context.Context))) {
		pods := newInformer(server)
		server.Add(pod("first", "1"))
		run(pods.RunWithContext)
		ledger := delta.NewLedger[request](delta.LedgerOptions{})
		var told []string
		var mu sync.Mutex
		release := make(chan struct{})
		k := ledgered(holding(pods), ledger, recording(func(what string) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, what)
			if what == "update first 1→2" {
				<-release
			}
		}))
		startedSynced(t, k, newQueue(t))
		server.Modify(pod("first", "2"))
		synctest.Wait()
		server.Add(pod("ghost", "1"))
		server.Delete(pod("ghost", "1"))
		for _, version := range []string{"3", "4", "3"} {
			server.Modify(pod("first", version))
		}
		for i := range 10000 {
			server.Modify(pod("first", "n"+strconv.Itoa(i%2)))
			if i%50 == 0 {
				synctest.Wait()
			}
		}
		close(release)
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		for _, want := range []string{"create ghost", "delete ghost", "update first 3→4", "update first 4→3"} {
			if !slices.Contains(told, want) {
				t.Errorf("of %d events the handler was not told %q", len(told), want)
			}
		}
	})
}
